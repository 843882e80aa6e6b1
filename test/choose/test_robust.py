# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The chain in programs with threads, forks, cancellation and exceptions; faults of single processes; the list set
by the program itself."""

from pathlib import Path

import pytest

from faults import fault_ranks, faults

HERE = Path(__file__).resolve().parent
SIGALRM = 128 + 14


@pytest.fixture(scope="module")
def program(mpich_module):
    return mpich_module.program(HERE / "robust.c", "-pthread", "-rdynamic", "-ldl")


@pytest.fixture
def tool(mpich):
    def tool(name, *options):
        return mpich.library(HERE / "robust_tool.c", f"-D{name}", "-pthread", *options, name=f"lib{name.lower()}.so")
    return tool


# ---- the process that fails reports ----

@pytest.mark.parametrize("entry, text", [("nosuch", "'nosuch'"), ("./libfailing.so", "no licence")],
                         ids=["unknown name", "init callback fails"])
def test_process_that_fails_reports_its_rank(choose, entry, text):
    """The first process of the host has no list and does not report for it. It waits in MPI_Init until the job ends."""
    result = choose.run("mpiexec", "-n", 1, "./program", ":", "-n", 1, "-env", "MPIR_CVAR_QMPI_TOOL_LIST", entry, "./program")
    assert result.status != 0 and fault_ranks(result.err) == [1] and text in faults(result.err)[0], result


@pytest.mark.parametrize("verbose", [0, 1])
def test_bad_list_of_three_processes_is_reported_by_those_that_end(choose, verbose):
    """mpiexec may end the others before they report."""
    result = choose.mpiexec(3, "./program", tools="nobody", MPIR_CVAR_QMPI_VERBOSE=verbose)
    ranks = fault_ranks(result.err)
    assert result.status != 0 and 1 <= len(ranks) <= 3 and set(ranks) <= {0, 1, 2} and len(set(ranks)) == len(ranks), result
    assert all("'nobody'" in text for text in faults(result.err)), result


def test_exception_of_an_init_callback_ends_the_program_with_a_message(mpich, program):
    thrower = mpich.library(HERE / "robust_throw.cpp", "-DTOOL")
    result = mpich.run(program, "init", MPIR_CVAR_QMPI_TOOL_LIST=thrower)
    assert result.status not in (0, SIGALRM) and "done" not in result.out, result
    assert "no licence for this machine" in result.err or "throwing" in result.err, result


def test_exception_of_an_init_callback_does_not_block_later_calls(mpich):
    """A program that catches everything either ends with a message or continues."""
    thrower = mpich.library(HERE / "robust_throw.cpp", "-DTOOL")
    result = mpich.run(mpich.program(HERE / "robust_throw.cpp"), MPIR_CVAR_QMPI_TOOL_LIST=thrower)
    assert result.status != SIGALRM, result
    assert result.out == "caught\ndone\n" if result.status == 0 else result.err, result


def test_instance_cannot_declare_another_one_as_failed(mpich, program, tool):
    library = tool("BLAMING")
    result = mpich.run(program, "init", MPIR_CVAR_QMPI_TOOL_LIST=f"{library},{library}")
    assert (result.status, result.out) == (0, "MPI_ERR_ARG\ndone\n"), result


# ---- the program sets the list ----

def test_list_set_by_setenv_before_the_first_call_counts(choose, program, order):
    result = choose.run(program, "setenv", "./libwitness.so(set)")
    assert (result.status, order(result)) == (0, "1 witness(set)"), result


def test_setenv_before_the_first_call_replaces_the_list(run, program, order):
    result = run("./libsecond.so", program, "setenv", "./libwitness.so(set)")
    assert (result.status, order(result)) == (0, "1 witness(set)"), result


def test_list_written_through_mpi_t_needs_no_list_in_the_environment(choose, program, order):
    result = choose.run(program, "write", "./libwitness.so(written)")
    assert (result.status, order(result)) == (0, "1 witness(written)"), result


# ---- threads, fork, cancellation ----

def test_library_constructor_in_another_thread_may_call_mpi_while_the_chain_is_built(choose, program):
    library = choose.library(HERE / "robust_library.c")
    result = choose.run(program, "constructor", library, MPIR_CVAR_QMPI_TOOL_LIST="./libwitness.so")
    assert (result.status, result.out.splitlines()[-1:]) == (0, ["done"]), result


def test_thread_of_a_tool_may_ask_for_storage_while_the_chain_is_built(mpich, program, tool):
    library = tool("POLLING")
    for _ in range(4):
        result = mpich.run(program, "first", LD_PRELOAD=library, MPIR_CVAR_QMPI_TOOL_LIST=",".join(["polling"] * 20))
        assert (result.status, result.out) == (0, "done\n"), result


def test_main_may_return_while_a_thread_is_in_a_tool(mpich, program, tool):
    """Freed memory would be seen: MALLOC_PERTURB_ overwrites it."""
    library = tool("STORING")
    for _ in range(5):
        result = mpich.run(program, "leave", LD_PRELOAD=library, MPIR_CVAR_QMPI_TOOL_LIST="storing", MALLOC_PERTURB_=165)
        assert (result.status, result.out) == (0, "done\n"), result


def test_child_made_while_the_chain_is_built_can_call_mpi(mpich, program, tool):
    result = mpich.run(program, "fork", MPIR_CVAR_QMPI_TOOL_LIST=tool("WAITING"))
    assert (result.status, result.out) == (0, "done\n"), result


def test_cancelled_builder_does_not_block_other_threads(mpich, program, tool):
    result = mpich.run(program, "cancel", MPIR_CVAR_QMPI_TOOL_LIST=tool("WAITING"))
    assert (result.status, result.out) == (0, "done\n"), result
