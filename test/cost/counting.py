# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Instructions per call, counted by callgrind, and their bounds: what test/cost/run and
test/bench/run have in common."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

CALLS = Path(__file__).resolve().parent.parent / "bench"

# Every name that the file of bounds has; it says what they mean.
BOUNDS = (
    "no-tools", "layer-static", "layer-instance", "layer-kit", "layer-kit-ending", "next",
    "storage", "address", "address-mixed", "disabled", "first-layer-comm-rank", "first-layer-send",
    "layer-lookup-comm-rank", "layer-lookup-send", "not-intercepting", "no-tools-file",
)


class Failure(Exception):
    """A reason why nothing can be measured; its text is the one message that the user gets."""


def read_bounds(path):
    """{name: limit} of the one file that has them all; every known name must be there, and no
    other."""
    bounds = {}
    if not path.is_file():
        raise Failure(f"no file of bounds: {path}")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not words[1].isdigit():
            raise Failure(f"{path}:{number}: not of the form 'NAME LIMIT': {line}")
        if words[0] not in BOUNDS:
            raise Failure(f"{path}:{number}: nothing is measured under the name '{words[0]}'")
        if words[0] in bounds:
            raise Failure(f"{path}:{number}: '{words[0]}' has two limits")
        bounds[words[0]] = int(words[1])
    if set(BOUNDS) - set(bounds):
        raise Failure(f"{path}: no limit for {', '.join(sorted(set(BOUNDS) - set(bounds)))}")
    return bounds


def check_installation(prefix):
    for name in ("bin/mpicxx", "include/mpi.h"):
        if not (prefix / name).is_file():
            raise Failure(f"{prefix} is not an installed MPICH with C++: {name} is missing")


def has_all_interfaces(prefix):
    """Fortran with mpi_f08, and MPI-IO."""
    return all((prefix / name).is_file()
               for name in ("bin/mpifort", "include/mpi_f08.mod", "include/mpio.h"))


def compile_program(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Failure(f"does not compile: {shlex.join(map(str, command))}\n{done.stdout}")


def compile_fortran_calls(prefix, folder):
    """What the calls of test/bench/calls.cpp are compiled and linked with where prefix has all
    interfaces: the same calls from mpif.h and mpi_f08 as object files in the folder."""
    objects = []
    for name, define in (("mpif", "-UMPI_F08"), ("f08", "-DMPI_F08")):
        objects.append(folder / f"{name}.o")
        # mpif.h has no interfaces: buffers of several types are no mistake
        compile_program([prefix / "bin/mpifort", "-O2", "-fno-plt", "-w", define, "-c",
                         CALLS / "calls_fortran.F90", "-o", objects[-1]])
    return ["-DALL_INTERFACES", *objects, "-lmpifort", "-lgfortran"]


def environment(prefix, tools, variables=None):
    """Nothing of the user's settings may change what is counted."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("MPIR_CVAR_", "MPICH_", "QMPI_", "PMI_", "VALGRIND_"))
             and name != "LD_PRELOAD"}
    folders = [str(prefix / "lib"), os.environ.get("LD_LIBRARY_PATH")]
    clean["LD_LIBRARY_PATH"] = ":".join(filter(None, folders))
    if tools:
        clean["MPIR_CVAR_QMPI_TOOL_LIST"] = tools
    return {**clean, **(variables or {})}


def read_phases(directory):
    """The dumps that the program asked for: {name: {length: instructions}}."""
    phases = {}
    # in the order in which the program asked for them: PID, then PID.1 ...
    for path in sorted(directory.glob("callgrind.out.*"),
                       key=lambda path: (len(path.name), path.name)):
        text = path.read_text(errors="replace")
        trigger = re.search(r"^desc: Trigger: Client Request: (.+) (\d+)$", text, re.M)
        if trigger:
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.M)
            if not total:
                raise Failure(f"no total in {path}")
            phases.setdefault(trigger.group(1), {})[int(trigger.group(2))] = int(total.group(1))
    return phases


def per_call(name, lengths, tolerance):
    """Instructions per call, from neighbouring lengths; they must agree, or something else ran in
    between (None)."""
    ordered = sorted(lengths)
    if len(ordered) < 3:
        raise Failure(f"{name}: {len(ordered)} counts instead of 3")
    values = [(lengths[b] - lengths[a]) / (b - a) for a, b in zip(ordered, ordered[1:])]
    if max(values) - min(values) > tolerance:
        return None
    return round(values[-1], 1)


def count(program, prefix, tools, out, functions=(), variables=None, tolerance=0.05, arguments=()):
    """{name: instructions per call} of a program's phases, counted by callgrind with a list of
    tools; functions must be among them. out: folder for what callgrind writes, one for each call at
    a time. Something unrelated in the process (a thread of the network library, say) may fall into
    a phase; then the differences disagree and the run is repeated."""
    label = tools or program.name
    directory = out / "callgrind"
    for _ in range(3):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        command = ["valgrind", "-q", "--tool=callgrind",
                   f"--callgrind-out-file={directory}/callgrind.out", program, *arguments]
        done = subprocess.run(command, env=environment(prefix, tools, variables), cwd=out,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise Failure(f"{label}: {program.name} ended with status {done.returncode} under "
                          f"callgrind:\n{done.stdout}")
        phases = read_phases(directory)
        missing = [name for name in functions if name not in phases]
        if missing:
            raise Failure(f"{label}: callgrind counted nothing for {', '.join(missing)}:\n"
                          f"{done.stdout}")
        costs = {name: per_call(name, lengths, tolerance) for name, lengths in phases.items()}
        if None not in costs.values():
            return costs
    unsteady = ", ".join(name for name, value in costs.items() if value is None)
    raise Failure(f"{label}: the cost of a call is not the same in short and long runs, three "
                  f"times over: {unsteady}")


def number(value):
    return f"{value:.1f}".removesuffix(".0")
