# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The small directories of MPICH's test suite, qmpi among them: results of the unpatched base, without tools."""

import pytest

from suite import mpich_suite

SMALL = "qmpi mpi_t attr group info init".split()


def pytest_generate_tests(metafunc):
    mpich_suite.parametrize(metafunc, SMALL)


@pytest.fixture(scope="module")
def suite(mpich_module, tree):
    # init has a test that runs into its time limit
    return mpich_suite.Suite(mpich_module, tree, SMALL, "small", "--timeout-factor", 2, seconds=1800)


def test_result_is_that_of_the_base(suite, name):
    suite.judge(name)


def test_directory_has_no_other_failures(suite, tree, directory):
    suite.judge_rest(directory, tree)
