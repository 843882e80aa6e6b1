# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""What the tool check has not looked for: its reports name the processes that a part of the analysis leaves out."""

import json
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "src/tools"
LEFT_OUT = "left out of the search for"

SHARED_LOCKS = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int provided, rank, *memory, value = 1, old;
    MPI_Win window;

    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (argc == 1 && rank == 1)
        MPI_Fetch_and_op(&value, &old, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Put(&value, 1, MPI_INT, 0, 2 + rank, 1, MPI_INT, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
"""


@pytest.fixture(scope="module")
def reports(mpich_module):
    """Text lines, JSON and result of a run of two ranks."""
    def reports(out, source, *arguments, **keywords):
        program = mpich_module.program(source, "-pthread", **keywords)
        result = mpich_module.mpiexec(2, program, *arguments, tools=f"check(out={out})")
        assert result.status == 0, result
        return ((mpich_module.work / f"{out}.txt").read_text().splitlines(),
                json.loads((mpich_module.work / f"{out}.json").read_text()), result)
    return reports


def left_out(report):
    return {(one["search"], one["reason"], *one["ranks"]) for one in report.get("left_out", [])}


def test_processes_with_several_threads_are_named(reports):
    lines, report, result = reports("threads", HERE / "right/threads_send.c")
    assert f"ranks 0-1: {LEFT_OUT} possible deadlocks: MPI_THREAD_MULTIPLE" in lines, lines
    assert ("possible deadlocks", "MPI_THREAD_MULTIPLE", 0, 1) in left_out(report)
    assert result.err.count(f"{LEFT_OUT} possible deadlocks: MPI_THREAD_MULTIPLE") == 1, result


def test_nobody_is_left_out_of_a_plain_program(reports):
    lines, report, _ = reports("plain", HERE / "right/polls.c")
    assert "left_out" not in report and not any(LEFT_OUT in line for line in lines)


def test_operation_that_may_order_accesses_is_named(reports):
    lines, report, _ = reports("order", SHARED_LOCKS, name="order.c")
    expected = ("access conflicts under shared locks", "the process used MPI_Fetch_and_op", 1)
    assert left_out(report) == {expected}
    assert f"rank 1: {LEFT_OUT} {expected[0]}: {expected[1]}" in lines


def test_threads_of_one_process_leave_out_the_accesses_of_all(reports):
    _, report, _ = reports("multiple", SHARED_LOCKS, "threads", name="multiple.c")
    accesses = {one for one in left_out(report) if one[0] == "access conflicts under shared locks"}
    assert len(accesses) == 1 and accesses.pop()[1:] in {(f"rank {rank}: MPI_THREAD_MULTIPLE", 0, 1) for rank in (0, 1)}


def test_process_that_is_too_far_ahead_is_left_out(mpich):
    program = mpich.program(HERE / "check_ahead.cpp", *(TOOLS / f"check/{name}.cpp" for name in ("accesses", "replay")), "-std=c++17",
                            f"-I{TOOLS}", f"-I{TOOLS / 'common'}", "-l:libqmpi.a", "-ldw")
    assert mpich.run(program, "32000").out == ""        # two steps each
    assert mpich.run(program, "33000").out == "rank 0: possible deadlocks: more than 65536 calls ahead of those that it waits for\n"
