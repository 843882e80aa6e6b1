# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""A part of MPICH's test suite: results of the unpatched base without tools, and with two tools on every function.

The tools are passall, which passes every call on, and nested, which also ends a program if it sees a call that the
library makes inside another call.
"""

from pathlib import Path

import pytest

from suite import mpich_suite

HERE = Path(__file__).resolve().parent
SMALL = "qmpi mpi_t attr group info init".split()
# coll, part, pt2pt, rma and threads take too long.
LARGE = "errhan topo comm datatype".split()
WITH_TOOLS = [name for name in SMALL + LARGE if name != "qmpi"]
DIRECTORIES = {"small": SMALL, "large": LARGE, "with_tools": WITH_TOOLS}


def pytest_generate_tests(metafunc):
    mpich_suite.parametrize(metafunc, DIRECTORIES[next(name for name in DIRECTORIES if name in metafunc.fixturenames)])


@pytest.fixture(scope="module")
def suite(mpich_module, tree):
    """Runs of the module, which share the compiled programs."""
    def run(name, *options, seconds):
        # init has a test that runs into its time limit
        return mpich_suite.Suite(mpich_module, tree, DIRECTORIES[name], name, "--build", mpich_module.work / "suite",
                                 "--timeout-factor", 2, *options, seconds=seconds)
    return run


@pytest.fixture(scope="module")
def small(suite):
    return suite("small", seconds=1800)


@pytest.fixture(scope="module")
def large(suite):
    return suite("large", seconds=3600)


@pytest.fixture(scope="module")
def with_tools(suite, mpich_module):
    passall = mpich_module.library(HERE.parent / "mpi/qmpi/passall.c", "-O2")
    nested = mpich_module.library(HERE / "nested.cpp", "-O2", "-std=c++17", "-DMPICH_SKIP_MPICXX")
    return suite("with_tools", "--tools", "passall,nested", "--preload", f"{passall}:{nested}", seconds=3600)


def test_result_in_a_small_directory_is_that_of_the_base(small, name):
    small.judge(name)


def test_small_directory_has_no_other_failures(small, tree, directory):
    small.judge_rest(directory, tree)


@pytest.mark.long
def test_result_in_a_large_directory_is_that_of_the_base(large, name):
    large.judge(name)


@pytest.mark.long
def test_large_directory_has_no_other_failures(large, tree, directory):
    large.judge_rest(directory, tree)


@pytest.mark.long
def test_result_with_tools_is_that_of_the_base(with_tools, name):
    with_tools.judge(name)


@pytest.mark.long
def test_directory_has_no_other_failures_with_tools(with_tools, tree, directory):
    with_tools.judge_rest(directory, tree)
