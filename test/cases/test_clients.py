# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Programs that users of other tools have met: what the tools say of them."""

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent / "clients"
NOFIN = HERE / "nofin.c"
RUNS = 5


def site_of(word):
    """The call site that nofin.c marks."""
    return f"nofin.c:{next(i for i, line in enumerate(NOFIN.read_text().splitlines(), 1) if f'/* {word} */' in line)}"


@pytest.fixture
def leave(mpich):
    """Run nofin.c under check: result and findings as {(kind, site): ranks}."""
    def leave(ranks, *words, arguments=""):
        program = mpich.program(NOFIN, "-pthread")
        result = mpich.mpiexec(ranks, program, *words, tools=f"check(out=left.json{arguments})", seconds=60, nap=False)
        found = mpich.load("left.json")["findings"] if (mpich.work / "left.json").exists() else []
        return result, {(one["kind"], one["site"]): one["ranks"] for one in found}
    return leave


def number_of_lines(result):
    return sum(line.endswith(": not finalized: the process ended without MPI_Finalize") for line in result.err.splitlines())


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("words", [[], ["thread"]])
def test_end_without_mpi_finalize_is_found_in_every_run(leave, ranks, words):
    """Processes that all end without MPI_Finalize are one finding at MPI_Init, printed once, in each of several runs."""
    for _ in range(RUNS):
        result, found = leave(ranks, *words)
        assert found == {("not finalized", site_of("not finalized")): list(range(ranks))}, (result, found)
        assert number_of_lines(result) == 1 and result.err.count("the program ended without MPI_Finalize; ") == 1, result


def test_status_without_mpi_finalize_is_that_of_the_program(leave):
    """The finding changes the exit status only with status=."""
    assert leave(1)[0].status == 0
    assert leave(1, arguments=",status=7")[0].status == 7


def test_processes_end_together_without_mpi_finalize(leave):
    """mpiexec kills those that still run when the first one has ended: the tool does not make one of them the last."""
    assert any(leave(2)[0].status == 0 for _ in range(RUNS))


def test_one_process_that_ends_without_mpi_finalize_ends_the_job(leave):
    """The others wait for its message; the job ends as without the tool, with the finding of that process."""
    result, found = leave(3, "one")
    assert result.status != 124 and found == {("not finalized", site_of("not finalized")): [1]}, (result, found)


@pytest.mark.parametrize("word", ["late", "child"])
def test_program_that_calls_mpi_finalize_is_right(leave, word):
    """MPI_Finalize in an exit handler older than the tools, or after a child of the process has called exit."""
    result, found = leave(2, word)
    assert (result.status, found, number_of_lines(result)) == (0, {}, 0), result


@pytest.mark.parametrize("word", ["abort", "error"])
def test_program_that_is_aborted_need_not_call_mpi_finalize(leave, word):
    """The end by MPI_Abort, or by the library because of an error, is no second error."""
    result, found = leave(1, word)
    assert result.status != 0 and number_of_lines(result) == 0 and "not finalized" not in {kind for kind, _ in found}, result
