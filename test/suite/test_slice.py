# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""A slice of MPICH's test suite: results of the unpatched base without tools, and with two tools on every function.

The tools are passall, which passes every call on, and nested, which also ends a program if it sees a call that the
library makes inside another call. test_suite.py runs the small directories without tools.
"""

from pathlib import Path

import pytest

from suite import mpich_suite

HERE = Path(__file__).resolve().parent
# coll, part, pt2pt, rma and threads take too long.
LARGE = "errhan topo comm datatype".split()
WITH_TOOLS = "errhan topo comm datatype attr group info init mpi_t".split()

pytestmark = pytest.mark.long


def pytest_generate_tests(metafunc):
    mpich_suite.parametrize(metafunc, WITH_TOOLS if "with_tools" in metafunc.fixturenames else LARGE)


@pytest.fixture(scope="module")
def without_tools(mpich_module, tree):
    return mpich_suite.Suite(mpich_module, tree, LARGE, "none", "--timeout-factor", 2, seconds=3600)


@pytest.fixture(scope="module")
def with_tools(mpich_module, tree):
    passall = mpich_module.library(HERE.parent / "mpi/qmpi/passall.c", "-O2")
    nested = mpich_module.library(HERE / "nested.cpp", "-O2", "-std=c++17", "-DMPICH_SKIP_MPICXX")
    return mpich_suite.Suite(mpich_module, tree, WITH_TOOLS, "tools", "--timeout-factor", 2, "--tools", "passall,nested",
                             "--preload", f"{passall}:{nested}", seconds=3600)


def test_result_without_tools_is_that_of_the_base(without_tools, name):
    without_tools.judge(name)


def test_directory_has_no_other_failures_without_tools(without_tools, tree, directory):
    without_tools.judge_rest(directory, tree)


def test_result_with_tools_is_that_of_the_base(with_tools, name):
    with_tools.judge(name)


def test_directory_has_no_other_failures_with_tools(with_tools, tree, directory):
    with_tools.judge_rest(directory, tree)
