# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Tools that misbehave (see hostile_tool.cpp) do not crash the library or lock it: later calls work."""

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent

PROGRAM = """
#include <mpi.h>
#include <cstdio>
#include <exception>

int main(int argc, char **argv)
{
    int rank = -1, size = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        try {
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        } catch (const std::exception &exception) {
            std::printf("caught %s\\n", exception.what());
        }
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Finalize();
    std::printf("rank %d of %d\\n", rank, size);
}
"""


@pytest.fixture
def hostile(mpich):
    library = mpich.library(HERE / "hostile_tool.cpp", "-ldl")

    def hostile(*ways):
        """Output of the program, without a tool after the hostile ones and with one."""
        program = mpich.program(PROGRAM, name="program.cpp")
        tools = ",".join(f"{library}({way})" for way in ways)
        results = [mpich.run(program, MPIR_CVAR_QMPI_TOOL_LIST=tools + more) for more in ("", ",null")]
        assert results[0].out == results[1].out and all(result.status == 0 for result in results), results
        return results[0].out
    return hostile


def test_call_that_is_never_passed_on(hostile):
    assert hostile("silent") == "rank -1 of 1\n"


def test_exception_reaches_the_program(hostile):
    assert hostile("throws") == 3 * "caught hostile\n" + "rank -1 of 1\n"


def test_exception_passes_through_other_instances(hostile):
    assert hostile("again", "throws") == 3 * "caught hostile\n" + "rank -1 of 1\n"


def test_exception_in_a_c_program_ends_it_with_its_text(mpich):
    library = mpich.library(HERE / "hostile_tool.cpp", "-ldl")
    result = mpich.run(mpich.program(HERE / "program.c"), MPIR_CVAR_QMPI_TOOL_LIST=f"{library}(throws)")
    assert result.status != 0 and "hostile" in result.err, result


def test_jump_over_links(hostile):
    assert hostile("jumps", "again", "jumps") == "rank 0 of 1\n"


def test_function_called_in_place_of_the_next_link(hostile):
    assert hostile("again") == "rank 0 of 1\n"


def test_library_that_closes_itself(hostile):
    assert hostile("closes") == "rank 0 of 1\n"
