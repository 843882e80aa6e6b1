# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Tools that misbehave (see hostile_tool.cpp) do not crash the library or lock it: later calls work."""

import re
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


SESSION = """
#include <mpi.h>

int main(void)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_finalize(&session);
    return 0;
}
"""

OFFER = """
#include <qmpi.hpp>

#include <algorithm>

struct Offers : qmpi::tool<Offers> {
    std::string text = arguments().get("text", "");

    Offers() { std::replace(text.begin(), text.end(), '|', '\\n'); }

    std::string offer_to_job(int) { return text; }

    void at_job_begin(const qmpi::job &job) { std::fprintf(stderr, "join '%s'\\n", job.offer()); }

    int MPI_Session_finalize(qmpi::call<MPI_SESSION_FINALIZE_T> &call) { return call(); }
};

QMPI_TOOL("offers", Offers)
"""

LEAVES = """
#include <mpi.h>
#include <cstring>
#include <stdexcept>

static void leave(int tool_id, const char *where)
{
    const char *how = "";
    MPIX_Get_tool_arguments(tool_id, &how);
    if (std::strcmp(how, where) == 0)
        throw std::runtime_error("hostile");
}

static void ready(int tool_id) { leave(tool_id, "ready function"); }
static void begin(int tool_id, MPI_Comm, const int[]) { leave(tool_id, "world begin function"); }

static void init(int tool_id)
{
    leave(tool_id, "init callback");
    MPIX_Register_tool_ready_function(tool_id, ready);
    MPIX_Register_tool_world_functions(tool_id, begin, nullptr);
}

__attribute__((constructor)) static void load()
{
    MPI_Register_tool_name("leaves", init);
}
"""

CATCHES = """
#include <mpi.h>
#include <unistd.h>
#include <cstdio>
#include <exception>

int main(int argc, char **)
{
    const bool is_world = argc == 1;
    MPI_Session session;
    alarm(20);
    for (int i = 0; i < 2; i++) {
        try {
            if (!is_world)
                MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
            else if (i == 0)
                MPI_Init(nullptr, nullptr);
            else
                MPI_Finalize();
        } catch (const std::exception &exception) {
            std::printf("caught %s\\n", exception.what());
        }
    }
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


def test_offer_that_would_be_a_command_of_the_process_manager_is_not_sent(mpich):
    """A second line would end the job."""
    library = mpich.library(OFFER, "-std=c++17", name="offer.cpp")
    for text, is_sent in (("address:17", True), ("x|cmd=abort exitcode=3", False), ("a b", False), ("a;b", False),
                          (511 * "x", True), (512 * "x", False), ("", True)):
        result = mpich.mpiexec(2, mpich.program(SESSION, name="session.c"), tools=f"{library}(text={text})")
        assert result.status == 0, result
        assert ("cannot put a text for other processes" in result.err) != is_sent, result
        assert ("must have at most 511 printable ASCII characters" in result.err) != is_sent, result
        assert result.err.count(f"join '{text if is_sent else ''}'") == 2, result


@pytest.mark.parametrize("function, model", [
    ("init callback", "session"), ("ready function", "session"), ("world begin function", "world")])
def test_function_that_an_exception_leaves_is_named(mpich, function, model):
    """In the next call that initializes or finalizes MPI, which does not wait for it."""
    library = mpich.library(LEAVES, name="leaves.cpp")
    result = mpich.run(mpich.program(CATCHES, name="catches.cpp"), *[model] * (model == "session"),
                       MPIR_CVAR_QMPI_TOOL_LIST=f"{library}({function})")
    assert result.status != 0 and result.out == "caught hostile\n", result
    assert re.search(f"the tool 'leaves', instance 1: its {function} .*did not return", result.err), result
