#!/usr/bin/env python3
# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Programs of other people under check, which say themselves whether they are wrong.

    labelled.py --prefix=DIR [--jobs=N] [--part=N [--seed=N]] [--list] [--argument=TEXT] FOLDER...

For each class: runs of wrong programs and those with a finding, of which kinds; runs of right programs and those with a finding.
Whether the finding is the error that is meant, only a reader can tell: --list names all that differ. These say what is wrong:

    MPI Bugs Initiative   BEGIN_MBI_TESTS in the head: "$ mpirun -np N ${EXE} ...", then "| OK" or "| ERROR: class"
    RMARaceBench          the file name, which ends in -yes.c or -no.c; #define PROC_NUM
    MPI-CorrBench         the folder "correct"; else the first word of the name, such as ArgError
"""

import argparse
import collections
import concurrent.futures
import random
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import collection

NAMES = re.compile(r"(?:ArgError|ArgMismatch|MisplacedCall|MissingCall)(?=-)")
RUN = re.compile(r"\$ *mpi(?:run|exec) +-np? +(\d+) +\$\{EXE\}(.*)\n[ |]*(OK|ERROR: *(\w+))")


@dataclass
class Run:
    source: Path
    processes: str
    arguments: list
    error: str          # its class, or empty

    @property
    def kind(self):
        return self.error or "right programs"


def runs_of(source):
    """What a program says of itself: none, if nothing."""
    text = source.read_text(errors="replace")
    if "BEGIN_MBI_TESTS" in text:
        return [Run(source, match.group(1), shlex.split(match.group(2)), match.group(4) or "") for match in RUN.finditer(text)]
    if match := re.search(r"-(yes|no)\.c$", source.name):
        processes = re.search(r"#define PROC_NUM (\d+)", text)
        return [Run(source, processes.group(1) if processes else "2", [], "race" if match.group(1) == "yes" else "")]
    if "correct" in source.parts:
        return [Run(source, "2", [], "")]
    match = NAMES.match(source.name)
    return [Run(source, "2", [], match.group())] if match else []


@dataclass
class Outcome:
    run: Run
    kinds: set          # of the findings
    fault: str = ""     # it was not run


def check(run, prefix, argument):
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        compiler = subprocess.run([prefix / "bin/mpicc", "-w", "-g", "-fopenmp", f"-I{run.source.parent}", run.source, "-lm", "-o", program],
                                  capture_output=True, text=True, check=False)
        if compiler.returncode != 0:
            return Outcome(run, set(), f"does not compile: {compiler.stderr.splitlines()[:1]}")
        _, err, found = collection.run_under_check(prefix, program, run.processes, argument, Path(folder), arguments=run.arguments)
        return Outcome(run, {one["kind"] for one in found} | {kind for *_, kind in collection.LINE.findall(err)})


def table(outcomes, is_listed):
    by_kind = collections.defaultdict(list)
    for outcome in outcomes:
        by_kind[outcome.run.kind].append(outcome)
    lines = [f"{'class':24} {'runs':>5} {'with findings':>14}  kinds"]
    for kind, own in sorted(by_kind.items()):
        kinds = collections.Counter(found for outcome in own for found in outcome.kinds)
        lines.append(f"{kind:24} {len(own):5} {sum(bool(outcome.kinds) for outcome in own):14}  "
                     + ", ".join(f"{name} {number}" for name, number in kinds.most_common()))
    for outcome in outcomes:
        if outcome.fault or is_listed and bool(outcome.kinds) != bool(outcome.run.error):
            lines.append(f"{outcome.run.source} ({outcome.run.kind}): {outcome.fault or ', '.join(sorted(outcome.kinds)) or 'nothing found'}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--prefix", type=Path, required=True, metavar="DIR", help="installation with QMPI")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="programs at the same time")
    parser.add_argument("--part", type=int, default=1, metavar="N", help="one of N runs")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the draw")
    parser.add_argument("--argument", default="races", metavar="TEXT", help="of check (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="name runs without the finding that is meant, or with one that is not")
    options = parser.parse_args()
    runs = [run for folder in options.folders for source in sorted(folder.rglob("*.c")) for run in runs_of(source)]
    if not runs:
        parser.error(f"no program that says whether it is wrong in {', '.join(map(str, options.folders))}")
    if options.part > 1:
        runs = sorted(random.Random(options.seed).sample(runs, max(len(runs) // options.part, 1)), key=lambda run: run.source)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda run: check(run, options.prefix.resolve(), options.argument), runs))
    print(table(outcomes, options.list))
    return 0


if __name__ == "__main__":
    sys.exit(main())
