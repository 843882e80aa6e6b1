# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Limits of one run of the tool check: its reports name the processes that a part of the analysis leaves out."""

from pathlib import Path

import pytest

from check.parts import program_with

HERE = Path(__file__).resolve().parent
LEFT_OUT = "left out of the search for"

SHARED_LOCKS = """
#include <mpi.h>
#include <pthread.h>
static MPI_Win window;
static void *lock(void *unused)
{
    MPI_Win_lock_all(0, window);
    MPI_Win_unlock_all(window);
    return unused;
}
int main(int argc, char **argv)
{
    int provided, rank, *memory, value = 1, old;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (argc > 1 && rank == 0) {
        pthread_create(&thread, NULL, lock, NULL);
        pthread_join(thread, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
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

ONLY_LOCAL = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, value;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
        usleep(100000);         /* the other message is the first to arrive */
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Info_create(&info);
    MPI_Comm_set_info(MPI_COMM_WORLD, info);
    MPI_Info_free(&info);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""

SINGLE_PARTITION = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value, has_arrived = 0, values[2] = {0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Psend_init(values, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 1)
        MPI_Precv_init(values, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank < 2)
        MPI_Start(&request);
    if (rank == 0)
        MPI_Pready_range(0, 1, request);
    while (rank == 1 && !has_arrived)
        MPI_Parrived(request, 0, &has_arrived);
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < 2) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Finalize();
    return 0;
}
"""


@pytest.fixture(scope="module")
def reports(mpich_module):
    """Text lines, JSON and result of a run."""
    def reports(out, source, *arguments, ranks=2, options=(), **keywords):
        program = mpich_module.program(source, "-pthread", **keywords)
        result = mpich_module.mpiexec(ranks, program, *arguments, tools=f"check({','.join([f'out={out}', *options])})")
        assert result.status == 0, result
        return ((mpich_module.work / f"{out}.txt").read_text().splitlines(), mpich_module.load(f"{out}.json"), result)
    return reports


def left_out(report):
    return {(one["search"], one["reason"], *one["ranks"]) for one in report.get("left_out", [])}


def test_processes_with_several_threads_are_named(reports):
    lines, report, result = reports("threads", HERE / "right/threads_send.c")
    assert f"ranks 0-1: {LEFT_OUT} possible deadlocks: several threads communicate" in lines, lines
    assert ("possible deadlocks", "several threads communicate", 0, 1) in left_out(report)
    assert result.err.count(f"{LEFT_OUT} possible deadlocks: several threads communicate") == 1, result


def test_order_of_a_collective_operation_that_waits_for_nobody_is_unknown(reports):
    _, report, _ = reports("local", ONLY_LOCAL, name="local.c", ranks=3, options=["races"])
    assert ("message races", "rank 2: a collective operation did not wait for all processes", 0) in left_out(report)


def test_order_by_a_communicator_that_is_no_longer_compared_is_lost_for_all(reports):
    """Messages on it may order accesses of other processes: the report says that these were not compared, and why."""
    _, report, _ = reports("excluded", HERE / "right/excluded.c", "excluded_put", ranks=3)
    reason = "rank 1: several threads use MPI_COMM_WORLD at the same time"
    assert {one[:2] for one in left_out(report)} >= {("access conflicts under shared locks", reason)}, report


MANY_PUTS = """
#include <mpi.h>
int main(int argc, char **argv)
{
    static int values[5000], *memory;
    int rank;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < (argc > 1 ? 5000 : 4000); i++)
        MPI_Put(&values[i], 1, MPI_INT, 1 - rank, i, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
"""


def test_buffers_of_too_many_one_sided_operations_are_named(reports):
    """4096 of a window are followed; the report has a line if there are more, and only then."""
    search, reason = "buffer overlaps of one-sided operations", "more than 4096 of a window at a time"
    assert (search, reason, 0, 1) in left_out(reports("many", MANY_PUTS, "x", name="many.c")[1])
    assert search not in {one[0] for one in left_out(reports("few", MANY_PUTS, name="many.c")[1])}


SMALL_SENDS = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, values[2] = {0, 0}, received;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2 && rank == 0; i++)
        MPI_Isend(&values[i], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[i]);
    if (rank == 0 && requests[0] == requests[1])
        values[0] = 1;
    if (rank == 0)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2 && rank == 1; i++)
        MPI_Recv(&received, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""


def test_buffers_of_sends_that_share_a_request_are_named(reports):
    """The library completes small sends at once, with one request for all: which buffer must not change is unknown."""
    _, report, _ = reports("small", SMALL_SENDS, name="small.c", options=["checksums"])
    assert ("changed buffers of sends that are complete at once", "they share one request", 0) in left_out(report), report


def test_nobody_is_left_out_of_a_plain_program(reports):
    lines, report, _ = reports("plain", HERE / "right/polls.c")
    assert "left_out" not in report and not any(LEFT_OUT in line for line in lines)


def test_operation_that_may_order_accesses_is_named(reports):
    lines, report, _ = reports("order", SHARED_LOCKS, name="order.c")
    expected = ("access conflicts under shared locks", "rank 1: used MPI_Fetch_and_op", 1)
    assert left_out(report) == {expected}
    assert f"rank 1: {LEFT_OUT} {expected[0]}: {expected[1]}" in lines


def test_process_that_has_seen_a_single_partition_is_named(reports):
    _, report, _ = reports("partition", SINGLE_PARTITION, name="partition.c", ranks=3, options=["races"])
    assert left_out(report) == {("message races", "rank 1: used MPI_Parrived", 0)}


def test_process_with_a_session_in_finalize_is_named(reports):
    lines, report, _ = reports("session", HERE / "right/session_and_world.c")
    expected = ("leaks, pending requests and messages that are not received", "a session was open in MPI_Finalize")
    assert left_out(report) == {(*expected, 0, 1)}
    assert f"ranks 0-1: {LEFT_OUT} {expected[0]}: {expected[1]}" in lines


def test_threads_leave_out_no_accesses(reports):
    _, report, _ = reports("multiple", SHARED_LOCKS, "threads", name="multiple.c")
    assert left_out(report) == {("possible deadlocks", "several threads communicate", 0)}


def test_nobody_is_left_out_if_one_thread_communicates(reports):
    _, report, _ = reports("one", SHARED_LOCKS.replace("rank == 0", "rank < 0"), "threads", name="one.c")
    assert left_out(report) == set()


def test_nothing_is_left_out_of_threads_whose_order_does_not_matter(reports):
    lines, _, _ = reports("tags", (HERE / "wrong/threads_tags.c").read_text(), name="tags.c")
    assert not any("not compared" in line for line in lines), lines


GAPS = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int number = atoi(argv[1]), *memory, *buffer;
    MPI_Datatype type;
    MPI_Request requests[2];
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_vector(number, 1, 2, MPI_INT, &type);
    MPI_Isend(memory = malloc(4), 1, type, 0, 0, MPI_COMM_SELF, &requests[0]);      /* not committed */
    MPI_Type_commit(&type);
    MPI_Win_allocate(8 * number, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    buffer = calloc(2 * number, 4);
    MPI_Win_fence(0, window);
    MPI_Put(buffer, 1, type, 0, 0, 1, type, window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < 2; i++)
        MPI_Irecv(buffer + i * (argc > 2), 1, type, 0, 0, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < 2; i++)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_free(&window);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
"""


@pytest.mark.parametrize("number, left", [(512, set()), (513, {"access conflicts"}), (65536, {"access conflicts"}),
                                          (65537, {"access conflicts", "buffer overlaps"})])
def test_data_with_many_gaps_is_named(reports, number, left):
    _, report, _ = reports(f"gaps{number}", GAPS, number, name="gaps.c")
    found = {one["kind"] for one in report["findings"]} & {"access conflict", "buffer overlap"}
    assert found == {"access conflict", "buffer overlap"} - {name.rstrip("s") for name in left}
    assert {one["search"] for one in report.get("left_out", [])} == {f"{name} of data with gaps" for name in left}


@pytest.mark.parametrize("apart", [(), ("apart",)])
def test_gaps_are_compared_without_the_rule_for_arguments(reports, apart):
    _, report, _ = reports(f"rule{len(apart)}", GAPS, 4, *apart, name="gaps.c", options=["arguments=no"])
    assert ("buffer overlap" in {one["kind"] for one in report["findings"]}) == (not apart)


def test_process_that_is_too_far_ahead_is_left_out(mpich):
    program = program_with(mpich, "ahead.cpp", "accesses", "replay")
    assert mpich.run(program, "32000").out == ""        # two steps each
    assert mpich.run(program, "33000").out == "rank 0: possible deadlocks: more than 65536 calls ahead of those that it waits for\n"
