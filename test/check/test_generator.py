# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Right programs that generator/draw.cpp draws from seeds: check finds nothing in them, and they end as without tools.

The seeds of each run are the same, those of --hours others each day. A seed that fails is repeated by the printed
command; `trace` prints its script."""

import json
import shlex
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TODAY = int(time.time() // 86400) * 1000      # the same in all workers
AT_ONCE = 10


def seeds(first, count):
    return [range(begin, begin + AT_ONCE) for begin in range(first, first + count, AT_ONCE)]


def options_of(seed):
    """(ranks, arguments of the tool, arguments of the program): every third seed has a program without receives of any
    source, in which message races are looked for, too."""
    is_certain = seed % 3 == 0
    return (2 + seed % 3 if seed % 2 else 2, "timeout=20" + (",races,checksums,strict" if is_certain else ""),
            ["deterministic"] if is_certain else [])


def run_seeds(mpich, these):
    program = mpich.program(HERE / "generator/draw.cpp", "-std=c++17", "-pthread")
    wrong, alike = [], []
    for seed in these:
        ranks, arguments, words = options_of(seed)
        report = mpich.work / f"{seed}.json"
        result = mpich.mpiexec(ranks, program, seed, *words, tools=f"check(out={report.name},{arguments})", seconds=60,
                               may_time_out=True)
        findings = json.loads(report.read_text())["findings"] if report.exists() else None
        if result.status == 0 and findings == []:
            continue
        alone = mpich.mpiexec(ranks, program, seed, *words, seconds=60, may_time_out=True)
        command = shlex.join(map(str, ["mpiexec", "-n", ranks, "draw", seed, *words]))
        (alike if alone.status == result.status != 0 and not findings else wrong).append(
            f"{command}: under check({arguments}) {result.status}, {findings}; without {alone.status}\n{result.err}")
    # A fault of MPICH, such as wrong data of a datatype, is the same without the tool.
    assert not wrong and len(alike) <= len(these) // 5, "\n".join(wrong + alike)


@pytest.mark.parametrize("these", seeds(1, 50), ids=lambda these: f"{these[0]}-{these[-1]}")
def test_nothing_is_found_in_a_drawn_right_program(mpich, these):
    run_seeds(mpich, these)


@pytest.mark.hours
@pytest.mark.parametrize("these", seeds(TODAY, 1000), ids=lambda these: f"{these[0]}-{these[-1]}")
def test_nothing_is_found_in_many_drawn_right_programs(mpich, these):
    run_seeds(mpich, these)
