# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Instructions per call, counted by callgrind, and their bounds."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

CALLS = Path(__file__).resolve().parent.parent / "bench"

# Names of the bounds, which the file explains
BOUNDS = (
    "no-tools", "no-tools-untested", "no-tools-mpif", "no-tools-f08", "no-tools-io",
    "no-tools-io-mpif", "no-tools-io-f08", "not-intercepting", "disabled",
    "first-layer-comm-rank", "first-layer-send", "layer-static", "layer-instance",
    "layer-lookup-comm-rank", "layer-lookup-send", "layer-both-comm-rank", "layer-both-send",
    "layer-kit", "layer-kit-ending", "next", "storage", "address", "address-mixed", "watch",
)
# Functions of calls.cpp that do not begin with a test for initialization
UNTESTED = ("MPI_Wtime", "MPI_File_write")
# Work of the library that differs from call to call: the instructions show nothing of QMPI.
UNSTEADY = ("MPI_Iprobe",)


class Failure(Exception):
    """Nothing can be measured; the text is the message for the user."""


def version_of(prefix):
    """Of an installed MPICH, as numbers"""
    header = (prefix / "include/mpi.h").read_text()
    return tuple(map(int, re.search(r'define MPICH_VERSION "(\d+)\.(\d+)\.(\d+)', header).groups()))


def read_bounds(path, version=(4, 0, 2)):
    """{name: limit} for a version of MPICH; the file must have every name of BOUNDS and no other."""
    bounds = {}
    if not path.is_file():
        raise Failure(f"{path} does not exist")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if not re.fullmatch(r"\S+ \d+( \d+\.\d+\.\d+:\d+)*", " ".join(words)):
            raise Failure(f"{path}:{number}: not of the form 'NAME LIMIT [VERSION:LIMIT]': {line}")
        if words[0] not in BOUNDS:
            raise Failure(f"{path}:{number}: unknown name '{words[0]}'")
        if words[0] in bounds:
            raise Failure(f"{path}:{number}: '{words[0]}' has two limits")
        bounds[words[0]] = int(words[1])
        for first, limit in (word.split(":") for word in words[2:]):
            if version >= tuple(map(int, first.split("."))):
                bounds[words[0]] = int(limit)
    if set(BOUNDS) - set(bounds):
        raise Failure(f"{path}: no limit for {', '.join(sorted(set(BOUNDS) - set(bounds)))}")
    return bounds


def functions_of(call):
    """The functions that a call of calls.cpp consists of."""
    return re.findall(r"MPI_\w+", call.partition(" to ")[0])


def limit_without_tools(call, bounds):
    """How many instructions more a call of calls.cpp may have without tools."""
    if "MPI_File_write" in call:
        interface = {"mpif.h": "-mpif", "mpi_f08": "-f08"}.get(call.split()[0], "")
        return bounds["no-tools-io" + interface]
    if call.startswith("mpif.h"):
        return bounds["no-tools-mpif"] * len(functions_of(call))
    if call.startswith("mpi_f08"):
        return bounds["no-tools-f08"] * len(functions_of(call))
    return sum(bounds["no-tools-untested" if function in UNTESTED else "no-tools"]
               for function in functions_of(call))


def check_installation(prefix):
    for name in ("bin/mpicxx", "include/mpi.h"):
        if not (prefix / name).is_file():
            raise Failure(f"{prefix} is not an installed MPICH with C++: {name} is missing")


def has_all_interfaces(prefix):
    """Fortran with mpi_f08, and MPI-IO."""
    include = prefix / "include"
    headers = [include / name for name in ("mpio.h", "mpi_proto.h")]    # one of them has MPI-IO
    return ((prefix / "bin/mpifort").is_file() and (include / "mpi_f08.mod").is_file()
            and any("MPI_File_write(" in header.read_text() for header in headers if header.is_file()))


def compile_program(command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Failure(f"does not compile: {shlex.join(map(str, command))}\n{done.stdout}")


def compile_fortran_calls(prefix, folder):
    """Options for compiling calls.cpp with the calls through mpif.h and mpi_f08, whose object files
    are made in the folder. The prefix must have all interfaces."""
    objects = []
    for name, define in (("mpif", "-UMPI_F08"), ("f08", "-DMPI_F08")):
        objects.append(folder / f"{name}.o")
        # -w: mpif.h has no interfaces, and buffers have several types
        compile_program([prefix / "bin/mpifort", "-O2", "-fno-plt", "-w", define, "-c",
                         CALLS / "calls_fortran.F90", "-o", objects[-1]])
    return ["-DALL_INTERFACES", *objects, "-lmpifort", "-lgfortran"]


def environment(prefix, tools, variables=None):
    """The environment without the user's settings, with a tool list."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("MPIR_CVAR_", "MPICH_", "QMPI_", "PMI_", "VALGRIND_"))
             and name != "LD_PRELOAD"}
    folders = [str(prefix / "lib"), os.environ.get("LD_LIBRARY_PATH")]
    clean["LD_LIBRARY_PATH"] = ":".join(filter(None, folders))
    if tools:
        clean["MPIR_CVAR_QMPI_TOOL_LIST"] = tools
    return {**clean, **(variables or {})}


def read_phases(directory):
    """The dumps that the program requested: {name: {length: instructions}}."""
    phases = {}
    # in the order of the requests: PID, then PID.1 ...
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
    """Instructions per call, from neighboring lengths. None if they disagree: something else ran in
    between."""
    ordered = sorted(lengths)
    if len(ordered) < 3:
        raise Failure(f"{name}: {len(ordered)} counts instead of 3")
    values = [(lengths[b] - lengths[a]) / (b - a) for a, b in zip(ordered, ordered[1:])]
    if max(values) - min(values) > tolerance:
        return None
    return round(values[-1], 1)


def count(program, prefix, tools, out, functions=(), variables=None, tolerance=0.05, arguments=()):
    """{name: instructions per call} of a program's phases, counted by callgrind under a tool list;
    functions must be among them. callgrind writes to the folder out, which serves one call at a time.
    If something unrelated runs during a phase (such as a thread of the network library) the
    differences disagree, and the run is repeated."""
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
