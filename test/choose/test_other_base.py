# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Does a tool that was compiled with one base's mpi.h run under another base? --other-prefix is an installation of that.

Both have the MPICH ABI and libmpi.so.12. The tools intercept all functions that the mpi.h of their base has.
"""

from pathlib import Path

import pytest

from tables import rows

HERE = Path(__file__).resolve().parent
SEEN = """\
MPI_Init
MPI_Comm_dup
MPI_Comm_rank
MPI_Isend
MPI_Recv
source 0 tag 7, 3 of 4 bytes
MPI_Wait
MPI_Comm_free
MPI_Finalize
"""


@pytest.fixture(params=["tool of the other base", "program of the other base"])
def sides(request, mpich, other):
    """The installation that compiles the tool, and the one that runs the program."""
    assert mpich.version != other.version
    return (other, mpich) if request.param.startswith("tool") else (mpich, other)


@pytest.fixture
def run(sides):
    """Run the program under a list; the tool's library is preloaded if there is one."""
    def run(tools, library=None):
        runs = sides[1]
        return runs.run(runs.program(HERE / "other_base.c"), MPIR_CVAR_QMPI_TOOL_LIST=tools, LD_PRELOAD=library)
    return run


@pytest.fixture(params=["other_base_tool.c", "other_base_kit.cpp"])
def tool(request, sides):
    language = ["-std=c++17"] if request.param.endswith("cpp") else []
    return sides[0].library(HERE / request.param, *language)


def test_tool_sees_functions_arguments_and_status(run, tool):
    result = run(f"{tool}")
    assert (result.status, result.out, result.err) == (0, SEEN, ""), result


def test_preloaded_tool_sees_them_too(run, tool):
    """Its library comes before the program's libmpi."""
    result = run("plain", tool)
    assert (result.status, result.out, result.err) == (0, SEEN, ""), result


def test_installed_tool_of_the_other_base_counts_the_same(sides, run):
    compiled, runs = sides
    tables = [rows(run(installation.tools / "libqmpi_count.so").err, 1) for installation in (compiled, runs)]
    assert tables[0] == tables[1] and tables[0]["MPI_Isend"].sent == 12
