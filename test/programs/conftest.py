# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Runs Debian's programs without tools and with a chain of profile, a PMPI tool, check and messages. With --out=DIR,
DIR/programs.md has a row for each test file: what ran, both results, and what check found."""

import dataclasses
import fcntl
import re
from collections import Counter
from pathlib import Path

import pytest

import aptsource

pytest.register_assert_rewrite("questions")

HEAD = ("| program | what ran | processes | without tools | with tools | findings of check |\n"
        "|---|---|---|---|---|---|\n")
# Counts the calls of each function, of all processes, in a file.
MEMBER = """
#include <mpi.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

static atomic_long *calls;

__attribute__((constructor)) static void map(void)
{
    calls = mmap(NULL, %d, PROT_READ | PROT_WRITE, MAP_SHARED, open(getenv("MEMBER_CALLS"), O_RDWR), 0);
}

"""


@pytest.fixture(scope="module")
def unpack(mpich_module, unpack_packages):
    """Unpacks Debian's packages; returns their folder and the variables with which their programs run on the MPICH
    under test."""
    def unpack(*packages):
        root = unpack_packages(mpich_module.work, *packages)
        lib = next(root.glob("usr/lib/*-linux-gnu*"), root)
        folders = [mpich_module.debian_names(), lib, lib / "blas", lib / "lapack", mpich_module.lib]
        return root / "usr", {"LD_LIBRARY_PATH": ":".join(map(str, folders))}
    return unpack


@pytest.fixture(scope="module")
def source(mpich_module):
    """Fetches and unpacks the archive that a package of Debian was made from; returns its folder."""
    def source(package, archive, sha256):
        reason = aptsource.fetch(package, str(mpich_module.work / archive), sha256)
        if reason:
            pytest.skip(f"{archive} cannot be fetched: {reason}")
        folder = mpich_module.work / "source"
        folder.mkdir()
        assert mpich_module.run("tar", "-xf", archive, "-C", folder, "--strip-components=1", "--no-same-owner").status == 0
        return folder
    return source


@dataclasses.dataclass
class Run:
    """A program's exit status and what `results` made of its output"""
    status: int
    results: object


@dataclasses.dataclass
class Pair:
    """Runs of a program without tools and with the chain; the calls of each function that profile and the PMPI tool
    counted; what check found"""
    name: str
    ranks: int
    plain: Run
    chained: Run
    profiled: dict
    member: dict
    findings: list


def report(mpich, name):
    """Of a tool; the program may have ended before the tool wrote it."""
    if not (mpich.work / f"{name}.json").exists():
        return mpich.report(f"{name}.records")
    return mpich.load(f"{name}.json")


def declarations(mpich):
    """{function: its parameters}, without MPI_Pcontrol and the conversions that are part of the Fortran library"""
    text = (mpich.include / "mpi_proto.h").read_text()
    return dict(re.findall(r"^int P(MPI_(?!\w*f08)\w+)\(([^().]*)\)", text, re.M))


def member(mpich, functions):
    """A PMPI tool for the functions; its count of each has the function's position."""
    text = MEMBER % (8 * len(functions))
    for number, (function, parameters) in enumerate(functions.items()):
        names = re.findall(r"(\w+)(?:\[\d*\])*(?:,|$)", "" if parameters == "void" else parameters)
        text += f"int {function}({parameters}) {{ calls[{number}]++; return P{function}({', '.join(names)}); }}\n"
    return mpich.library(text, "-Wno-deprecated-declarations", name="member.c")


@pytest.fixture(scope="module")
def compare(request, mpich_module):
    """Runs a program without tools and with the chain; returns the pair, which becomes part of the row."""
    mpich, functions, pairs = mpich_module, declarations(mpich_module), []

    def compare(ranks, *command, results, name=None, status=0, **keywords):
        def run(tools, **more):
            result = mpich.mpiexec(ranks, *command, tools=tools, **{"seconds": 900, **keywords}, **more)
            assert status in (None, result.status), result
            return Run(result.status, results(result.out + result.err))

        plain = run("")
        assert plain.results, command
        prefix = f"run{len(pairs)}-"
        calls = mpich.work / f"{prefix}calls"
        calls.write_bytes(bytes(8 * len(functions)))
        profile, check, messages = (f"{tool}(out={mpich.work}/{prefix}{tool})" for tool in ("profile", "check", "messages"))
        chained = run(f"{profile},pmpi={member(mpich, functions)},{check},{messages}", MEMBER_CALLS=calls)
        profiled = {line["name"]: line["calls"] for line in report(mpich, f"{prefix}profile")["functions"] if line["name"] in functions}
        counted = {function: count for function, count in zip(functions, memoryview(calls.read_bytes()).cast("l")) if count}
        pairs.append(Pair(name or Path(command[0]).name, ranks, plain, chained, profiled, counted,
                          report(mpich, f"{prefix}check")["findings"]))
        return pairs[-1]

    yield compare
    if pairs:
        add_row(request.config.qmpi_folder / "programs.md", row(request.module, pairs))


def row(module, pairs):
    found = {f"{finding['kind']} ({finding['function']})" for pair in pairs for finding in pair.findings}
    cells = [module.PACKAGES[0], module.WHAT.format(len(pairs)), ", ".join(map(str, sorted({pair.ranks for pair in pairs}))),
             summary([pair.plain.results for pair in pairs]), summary([pair.chained.results for pair in pairs]),
             ", ".join(sorted(found)) or "none"]
    return f"| {' | '.join(cells)} |\n"


def summary(results):
    """Of lists: number of values and the last one; of Counters: the sums"""
    if isinstance(results[0], Counter):
        return ", ".join(f"{count:,} {word}" for word, count in sorted(sum(results, Counter()).items()))
    return f"{sum(map(len, results))} values, the last {results[-1][-1]}"


def add_row(path, text):
    with open(path, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        rows = {line.split(" | ")[0]: line for line in [*file.read().removeprefix(HEAD).splitlines(True), text]}
        file.truncate(0)
        file.write(HEAD + "".join(rows[name] for name in sorted(rows)))
