# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The benchmarks: time of short calls without tools, and a quick run of all parts.

Times depend on the machine, so these tests run with --hours only; test/cost bounds instructions in each run. They run
alone. Results (entry.json, summary.md, results.json, plots) are in the folder of the tests (--out).
"""

import functools
import json
import math
import statistics
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
# Rows of entry.py that are judged together: start of the case, threads, others intercepted
GROUPS = {
    "C, 1 thread": ("C ", "1", False),
    "C, 2 threads": ("C ", "2", False),
    "mpif.h, 1 thread": ("mpif.h ", "1", False),
    "mpif.h, 2 threads": ("mpif.h ", "2", False),
    "C, all other functions intercepted": ("C ", "1", True),
    "mpif.h, all other functions intercepted": ("mpif.h ", "1", True),
}

# The goal is a ratio of 1 with an interval that contains it, and entry.py's verdict is about the goal. A cost of the
# entries is in all functions, so a test fails if the geometric mean of the lower bounds, weighted by the number of
# different functions in a row, is above the first limit. The position of functions in the code changes a single row by
# up to 15 % between two libraries (doc/benchmarks.md), and by nothing where the reference is the same library.
MEAN_LIMIT = 1.02
ROW_LIMIT, ROW_LIMIT_OF_SAME_LIBRARY = 1.15, 1.05

pytestmark = [pytest.mark.serial, pytest.mark.nightly]


@pytest.fixture(scope="module")
def short_calls(mpich_module, base_module):
    """Function that gives the rows of `run --entry` with half of its rounds. The first call measures: tests, but not
    fixtures of modules, run alone."""
    out = mpich_module.work / "entry"

    @functools.lru_cache
    def rows():
        done = mpich_module.run(HERE / "run", "--entry", mpich_module.prefix, base_module.prefix, "--rounds", 0.5,
                                "--out", out, seconds=600)
        if done.status not in (0, 1):
            pytest.fail(repr(done), pytrace=False)
        return json.loads((out / "entry.json").read_text())["entry"]

    return rows


def mean_of_functions(rows):
    return math.exp(statistics.fmean([math.log(row["low"]) for row in rows], [row["functions"] for row in rows]))


@pytest.mark.parametrize("group", GROUPS)
def test_short_calls_take_no_longer(short_calls, group):
    start, threads, others = GROUPS[group]
    rows = [row for row in short_calls() if row["case"].startswith(start) and row["threads"] == threads
            and row["others_intercepted"] == others]
    text = "\n".join(f"{row['title']}: {row['ratio']:.3f} [{row['low']:.3f}, {row['high']:.3f}] {row['verdict']}"
                     for row in rows)
    if not rows:
        pytest.fail("nothing was measured (2 threads need 2 cores)", pytrace=False)
    limit = ROW_LIMIT_OF_SAME_LIBRARY if others else ROW_LIMIT
    if mean_of_functions(rows) > MEAN_LIMIT or max(row["low"] for row in rows) > limit:
        pytest.fail(text, pytrace=False)
    print(text)


def test_quick_run_keeps_the_bounds_and_writes_its_summary(mpich, base):
    done = mpich.run(HERE / "run", "--quick", mpich.prefix, base.prefix, "--out", mpich.work / "bench", seconds=1800)
    if done.status != 0:
        pytest.fail(repr(done), pytrace=False)
    assert "## Goals" in (mpich.work / "bench/summary.md").read_text()
