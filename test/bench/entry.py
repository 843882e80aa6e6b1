# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Times of short calls against the unpatched library (entry.cpp), in interleaved processes."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import counting
from compare import compare, verdict
from counting import Failure

HERE = Path(__file__).resolve().parent
ROUNDS = 31
SECONDS = 0.5           # that a process measures
THREADS = {"one": "1", "two": "2"}
TOOL = "others"


@dataclass(frozen=True)
class Run:
    """A process that is timed in every round."""
    library: str        # "base", or the number of a prefix
    threads: str        # key of THREADS
    tool: bool = False  # with the tool that intercepts all other functions


@dataclass(frozen=True)
class Row:
    """A line of the table: a case of two processes of the same rounds."""
    case: str
    functions: int      # different ones
    run: Run
    reference: Run
    ns: float
    cycles: float
    reference_cycles: float
    ratio: float
    low: float
    high: float

    @property
    def title(self):
        what = "all other functions intercepted, " if self.run.tool else ""
        return f"{what}{self.case}, {THREADS[self.run.threads]} thread" + \
            ("s" if self.run.threads == "two" else "")

    @property
    def verdict(self):
        return verdict({"low": self.low, "ratio": self.ratio, "high": self.high})


def has_qmpi(prefix):
    return (prefix / "include/mpi_qmpi.h").is_file()


def default_cores():
    cores = sorted(os.sched_getaffinity(0))
    return cores[-1], cores[0]


class Entry:
    """Compiles the programs and measures in rounds."""

    def __init__(self, base, prefixes, work, rounds=ROUNDS, seconds=SECONDS, cores=None):
        self.base, self.prefixes, self.work = base, prefixes, work
        self.rounds, self.seconds = rounds, seconds
        self.cores = cores or default_cores()
        for prefix in (base, *prefixes):
            counting.check_installation(prefix)
        self.runs = [Run("base", threads) for threads in THREADS]
        for i, prefix in enumerate(prefixes):
            self.runs += [Run(str(i), threads) for threads in THREADS]
            if has_qmpi(prefix):
                self.runs.append(Run(str(i), "one", True))
        if self.cores[0] == self.cores[1]:
            self.runs = [run for run in self.runs if run.threads == "one"]
        self.times = {run: {} for run in self.runs}
        self.functions = {}     # of a case

    def compile(self):
        """One program for all libraries, compiled with the base; a tool for each with QMPI."""
        self.work.mkdir(parents=True, exist_ok=True)
        fortran = self.work / "entry_fortran.o"
        counting.compile_program([self.base / "bin/mpifort", "-O2", "-frecursive", "-w",
                                  "-c", HERE / "entry_fortran.F90", "-o", fortran])
        flags = ["-std=c++17", "-DMPICH_SKIP_MPICXX", "-O2", "-Wall", "-Wextra"]
        counting.compile_program([self.base / "bin/mpicxx", *flags, HERE / "entry.cpp", fortran,
                                  "-o", self.work / "entry", "-lmpifort", "-lgfortran",
                                  "-lpthread"])
        for i, prefix in enumerate(self.prefixes):
            if has_qmpi(prefix):
                counting.compile_program([prefix / "bin/mpicxx", *flags, "-shared", "-fPIC",
                                          HERE / "entry_tool.cpp", "-o",
                                          self.work / f"libqmpi_entry{i}.so"])

    def prefix_of(self, run):
        return self.base if run.library == "base" else self.prefixes[int(run.library)]

    def measure(self, run):
        variables = {}
        if run.tool:
            variables["LD_PRELOAD"] = str(self.work / f"libqmpi_entry{run.library}.so")
        environment = counting.environment(self.prefix_of(run), TOOL if run.tool else "", variables)
        cores = self.cores[:1] if run.threads == "one" else self.cores
        command = [self.work / "entry", run.threads, str(self.seconds), *map(str, cores)]
        done = subprocess.run(command, env=environment, cwd=self.work, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)
        if done.returncode != 0:
            raise Failure(f"{self.prefix_of(run)}: entry ended with status {done.returncode}:\n"
                          f"{done.stdout}{done.stderr}")
        for line in done.stdout.splitlines():
            cycles, nanoseconds, functions, case = line.split(" ", 3)
            self.functions[case] = int(functions)
            self.times[run].setdefault(case, []).append((float(cycles), float(nanoseconds)))

    def measure_all(self):
        began = time.monotonic()
        for number in range(self.rounds):
            # Every other round runs backwards, so that a slow drift favours nobody.
            for run in self.runs if number % 2 == 0 else reversed(self.runs):
                self.measure(run)
            print(f"entry: round {number + 1} of {self.rounds} "
                  f"[{time.monotonic() - began:.0f} s]", file=sys.stderr, flush=True)

    def rows(self):
        found = []
        for run in self.runs:
            if run.library == "base":
                continue
            reference = Run(run.library, run.threads) if run.tool else Run("base", run.threads)
            for case, times in self.times[run].items():
                one = compare([cycles for cycles, _ in times],
                              [cycles for cycles, _ in self.times[reference][case]])
                found.append(Row(case, self.functions[case], run, reference, min(ns for _, ns in times),
                                 one["median"], one["reference"], one["ratio"], one["low"], one["high"]))
        return found


def as_json(rows):
    return [{"title": row.title, "library": row.run.library, "threads": THREADS[row.run.threads],
             "others_intercepted": row.run.tool, "case": row.case, "functions": row.functions, "ns": row.ns,
             "cycles": row.cycles, "reference_cycles": row.reference_cycles, "ratio": row.ratio, "low": row.low,
             "high": row.high, "verdict": row.verdict} for row in rows]


def table(rows, prefixes):
    """Markdown, one table for each prefix. The reference is the base without tools, or, where all
    other functions are intercepted, the same library without tools."""
    text = ""
    for i, prefix in enumerate(prefixes):
        text += (f"{prefix}\n\n| case | ns | cycles | reference cycles | ratio of cycles [95 %] | |\n"
                 "|---|---|---|---|---|---|\n")
        for row in rows:
            if row.run.library == str(i):
                text += (f"| {row.title} | {row.ns:.2f} | {row.cycles:.2f} | "
                         f"{row.reference_cycles:.2f} | {row.ratio:.3f} "
                         f"[{row.low:.3f}, {row.high:.3f}] | {row.verdict} |\n")
        text += "\n"
    return text
