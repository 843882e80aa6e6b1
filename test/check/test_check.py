# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tool check: every error of wrong programs is found at its line and nothing else, and nothing in correct ones."""

import os
import random
import re
from pathlib import Path

import pytest

from check import collection
from check.parts import program_with
from check.programs import LINE, RIGHT, WRONG, places, reported

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"


@pytest.fixture
def run(mpich):
    """Run a program under check. below: other tools"""
    def run(source, arguments, ranks=2, *words, below="", **keywords):
        return mpich.mpiexec(ranks, mpich.program(source, "-pthread"), *words, tools=f"check({arguments}){below}", **keywords)
    return run


def assert_found(mpich, run, name, **variables):
    """A program that ends in each of its errors is run for each."""
    program = WRONG[name]
    results, found = [], set()
    for number in range(1, int(program.option("cases", "1")) + 1):
        words = [number] if program.option("cases", "") else program.words
        result = run(program.path, ",".join(filter(None, ["out=found.json", program.option("tool", "")])),
                     int(program.option("ranks", "2")), *words, seconds=10, may_time_out=True, **variables)
        results.append(result)
        printed = program.printed(result)
        # mpiexec may drop what a job wrote that ends in an error
        found |= printed or places(reported(mpich.work / "found.json"))
        assert result.status or printed == places(reported(mpich.work / "found.json")), result
    must, either = program.markers("expect"), program.markers("either")
    assert must <= found <= must | either and (not either or found & either), results


def named(pattern):
    return [name for name in WRONG if re.match(f"({pattern})_", name)]


@pytest.mark.parametrize("name", WRONG)
def test_error_is_found_at_its_line_and_nothing_else(mpich, run, name):
    """A program that hangs with and without the tool is ended; the finding is printed before."""
    assert_found(mpich, run, name)


@pytest.mark.parametrize("name", named("unsafe|race|window"))
def test_error_is_found_if_the_process_could_have_more_threads(mpich, run, name):
    """As those of mpi4py, which asks for MPI_THREAD_MULTIPLE"""
    assert_found(mpich, run, name, MPIR_CVAR_DEFAULT_THREAD_LEVEL="MPI_THREAD_MULTIPLE")


@pytest.mark.long
@pytest.mark.parametrize("name", named("crossed|unsafe|race|window"))
def test_what_is_found_does_not_depend_on_the_time_of_calls(mpich, run, name):
    delays = mpich.library(HERE / "delays.cpp", "-std=c++17", name="libqmpi_delays.so")
    assert_found(mpich, run, name, below=",delays", MPIR_CVAR_QMPI_TOOL_PATH=delays.parent, DELAYS_SEED=random.randrange(1000))


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_found_in_a_correct_program(mpich, run, name):
    program = RIGHT[name]
    result = run(program.path, f"out=right.json,{program.option('tool', 'timeout=5')}", int(program.option("ranks", "2")),
                 *program.words)
    # a process without a world adds its number to the name
    reports = list(mpich.work.glob("right*.json"))
    assert result.status == 0 and reports and [reported(path) for path in reports] == [[]] * len(reports), result


def test_start_is_compared_before_the_library_starts(mpich):
    """The receiver ends the job as soon as it has the message."""
    program = WRONG["truncation_start"]
    slow = mpich.library(HERE / "slow_start.cpp", "-std=c++17", name="libqmpi_slow.so")
    mpich.mpiexec(2, mpich.program(program.path), tools="check(out=found.json),slow", MPIR_CVAR_QMPI_TOOL_PATH=slow.parent)
    assert places(reported(mpich.work / "found.json")) == program.markers("expect")


def test_reduction_mismatch_names_both_operations(run):
    result = run(HERE / "wrong/collective_operation.c", "")
    assert re.search(r": reduces with MPI_(SUM|MAX), but rank \d reduces with MPI_(?!\1)(SUM|MAX) \(", result.err, re.M), result


# ---- report ----

LEAKS = HERE / "wrong/leaks.c"


def test_report_has_the_findings_that_are_printed(mpich, run):
    run(LEAKS, "out=two")
    found = reported(mpich.work / "two.json")
    assert places(found) == WRONG["leaks"].markers("expect")
    kinds = "|".join({one["kind"] for one in found})
    assert len(re.findall(rf": (?:{kinds}): ", (mpich.work / "two.txt").read_text())) == len(found)


def test_report_merges_ranks_and_repetitions(mpich, run):
    """Leaks of both ranks, twice each; the two that are found at exit are apart."""
    run(LEAKS, "out=two.json")
    at_exit = ("MPI_Info_create", "MPI_Comm_create_errhandler")
    assert {(tuple(one["ranks"]), one["times"]) for one in reported(mpich.work / "two.json") if one["function"] not in at_exit} == {
        ((0, 1), 2)}


REFUSED = """
#include <mpi.h>
int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "used", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    if (MPI_Session_finalize(&session) != MPI_SUCCESS) {
        MPI_Comm_free(&comm);
        MPI_Session_finalize(&session);
    }
}
"""
REFUSES = """
#include <qmpi.hpp>
#include <utility>
struct Refuses : qmpi::tool<Refuses> {
    bool is_first = true;
    int MPI_Session_finalize(qmpi::call<MPI_SESSION_FINALIZE_T> &call)
    {
        return std::exchange(is_first, false) ? MPI_ERR_PENDING : call();
    }
};
QMPI_TOOL("refuses", Refuses)
"""


def test_session_whose_end_fails_can_still_be_used(mpich):
    """As with the info key strict_finalize of MPICH 5.0.1. The tool fails the first call."""
    refuses = mpich.library(REFUSES, "-std=c++17", name="refuses.cpp")
    result = mpich.mpiexec(2, mpich.program(REFUSED, name="refused.c"), tools=f"check(out=refused.json),{refuses}")
    assert result.status == 0 and not reported(mpich.work / "refused.json"), result


# ---- what was checked ----

FREED = """
#include <mpi.h>
int main(void)
{
    int rank, value;
    MPI_Request request;
    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Finalize();
}
"""


def test_process_that_is_no_longer_compared_is_named_in_the_report_and_on_standard_error(mpich):
    result = mpich.mpiexec(2, mpich.program(FREED, name="freed.c"), tools="check(out=freed)")
    lines = (mpich.work / "freed.txt").read_text().splitlines()
    assert re.fullmatch(r"check: 0 findings in \d+ calls of \d+ processes", lines[0]), lines
    reason = "the request of a pending receive with a wildcard was freed"
    assert any("not compared with others after call" in line and line.endswith(f": {reason}") for line in lines)
    assert re.search(rf"^QMPI check: rank \d+: no longer compared with other processes: {reason}$", result.err, re.M), result


def test_call_whose_failure_ends_the_comparison_is_named(mpich, run):
    """truncation_any.c goes on after a message that is too long."""
    result = run(HERE / "wrong/truncation_any.c", "")
    assert re.search(r": no longer compared with other processes: the operation of MPI_Recv at truncation_any\.c:\d+ failed$",
                     result.err, re.M), result


def test_communicator_of_several_threads_is_named_in_the_report_and_on_standard_error(mpich, run):
    result = run(HERE / "right/threads.c", "out=threads")
    lines = (mpich.work / "threads.txt").read_text().splitlines()
    assert re.fullmatch(r"check: 0 findings in \d+ calls of \d+ processes", lines[0]), lines
    assert {re.sub(r"\d+:", "N:", line.split(": ", 1)[1]) for line in lines if "not compared" in line} == {
        "communicator without a name not compared after call N: several threads use it at the same time"}, lines
    assert result.err.count(" is no longer compared: several threads use it at the same time\n") == 1, result


TWO_RECEIVERS = """
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
static void *receive(void *is_second)
{
    int values[2];
    MPI_Recv(values, is_second == NULL ? 1 : 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return is_second;
}
int main(void)
{
    int provided, rank;
    pthread_t thread;
    MPI_Init_thread(0, 0, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        pthread_create(&thread, NULL, receive, &thread);
        receive(NULL);
        pthread_join(thread, NULL);
    } else
        for (int i = 0; i < 2; i++) {
            sleep(1);
            MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        }
    MPI_Finalize();
}
"""


def test_communicator_of_several_threads_has_its_name_before_any_collective_operation(mpich):
    result = mpich.mpiexec(2, mpich.program(TWO_RECEIVERS, "-pthread", name="receivers.c"), tools="check")
    assert "QMPI check: rank 1: MPI_COMM_WORLD is no longer compared: several threads use it at the same time\n" in result.err, result


def test_kinds_that_are_switched_off_are_named_in_both_reports(mpich, run):
    run(LEAKS, "out=off,leaks=no,requests=no")
    assert "\nnot looked for: buffer changed, leak, pending request, message race\n" in (mpich.work / "off.txt").read_text()
    assert mpich.load("off.json")["not_looked_for"] == ["buffer changed", "leak", "pending request", "message race"]


# ---- arguments ----

SWITCHES = {"leaks": "leaks=no,requests=no", "truncation": "signatures=no", "overlap_receives": "overlaps=no",
            "put_outside": "epochs=no", "unreceived": "unreceived=no", "freed_twice": "handles=no",
            "collective_root": "collectives=no,signatures=no", "missing_wait": "requests=no",
            "arguments_pack": "arguments=no", "unsafe_ring": "buffering=no"}


@pytest.mark.parametrize("name", SWITCHES)
def test_kind_of_finding_can_be_switched_off(run, name):
    program = WRONG[name]
    result = run(program.path, f"out=off.txt,{SWITCHES[name]}", int(program.option("ranks", "2")), *program.words)
    assert program.printed(result) == set(), result


@pytest.mark.parametrize("argument", ["timeout=-1", "deadlock=maybe", "leak=no", "timeout=soon"])
def test_wrong_argument_is_refused_by_name(run, argument):
    result = run(LEAKS, argument, 1)
    assert result.status != 0 and argument.split("=")[0] in result.err, result


# ---- the analyser ----

def test_accesses_are_ordered_by_messages_and_perhaps_by_later_writes(mpich):
    program = program_with(mpich, "accesses.cpp", "accesses")
    assert mpich.run(program).out == "0\n1\n0\n1\n1\n0\n1 0\n1 0\n"


def test_deadlock_needs_calls_that_cannot_complete(mpich):
    program = program_with(mpich, "deadlocks.cpp", "accesses", "analyser", "findings", "recorder", "replay", "signature", "sites")
    result = mpich.run(program)
    assert result.out.splitlines() == [
        "MPI_Sendrecv: nothing", "MPI_Waitall: nothing", "MPI_Irecv: nothing", "MPI_Waitany of two: nothing",
        "MPI_Waitall of two: deadlock", "MPI_Issend: deadlock", "MPI_Ibsend: nothing", "communicator of several threads: nothing",
        "one message for two receives: deadlock", "two messages for two receives: nothing", "first receive cancelled: nothing",
        "partitioned send not started: deadlock", "partitioned send started: nothing", "fence of an unknown window: nothing"], result


def test_order_of_calls_of_two_threads_matters_if_both_could_match_the_same(mpich):
    program = program_with(mpich, "threads.cpp", "threads")
    assert mpich.run(program).out.splitlines() == [
        "sends: unknown", "sends with different tags: known", "sends to different processes: known",
        "one send after the other: known", "send and receive: known", "receives with wildcards: unknown",
        "collective operations: unknown", "collective operation and send: known", "accesses: known",
        "access and synchronization: unknown", "access and unlock of another target: known",
        "collective, which the thread may know of: no error"]


def test_order_of_two_threads_is_known_when_a_call_has_returned(mpich):
    program = program_with(mpich, "turns.cpp", "accesses", "replay")
    assert mpich.run(program).out.splitlines() == [
        "the same thread: 0", "after the receive of another thread: 0", "during the receive of another thread: 1",
        "after a send that nobody receives: 1"]


# ---- exit status ----

@pytest.mark.parametrize("arguments, world, leak, own, status", [
    ("status=7", 1, 1, 0, 7), ("status=7", 1, 0, 0, 0), ("status=7", 1, 1, 3, 3), ("status=7", 0, 1, 0, 7),
    ("status=7,leaks=no", 1, 1, 0, 0), ("out=r", 1, 1, 0, 0)])
def test_findings_decide_the_exit_status(mpich, arguments, world, leak, own, status):
    """The program's own status and all that its exit handlers do stay."""
    result = mpich.run(mpich.program(HERE / "status.c"), world, leak, own, MPIR_CVAR_QMPI_TOOL_LIST=f"check({arguments})")
    assert (result.status, result.out) == (status, "handler after MPI_Init\nhandler before MPI_Init\n"), result


def test_mpiexec_ends_with_the_status_of_findings_of_other_ranks(mpich, run):
    assert run(HERE / "wrong/unsafe_pair.c", "status=7").status == 7


def test_suppressed_findings_do_not_decide_the_exit_status(mpich):
    (mpich.work / "known.txt").write_text("MPI_Info_create at *: leak\n")
    result = mpich.mpiexec(2, mpich.program(HERE / "status.c"), 1, 1, 0, tools="check(status=7,suppress=known.txt,out=r.txt)")
    assert result.status == 0 and "(1 suppressed)" in (mpich.work / "r.txt").read_text(), result


# ---- deadlocks ----

@pytest.fixture(scope="module")
def ring(mpich_module):
    program = mpich_module.program(HERE / "wrong/deadlock_ring.c", "-pthread")
    return mpich_module.mpiexec(3, program, tools="check(timeout=1,deadlock=abort,out=ring)")


def test_deadlock_is_reported_for_every_process_with_the_cycle(ring):
    assert {(match.group(0).split(":")[1], match.group(5)) for match in LINE.finditer(ring.err)} == {
        (f" rank {rank}", f"waits for rank {(rank + 1) % 3}: the receive of a message with tag 0 on MPI_COMM_WORLD; "
                          f"cycle: rank {rank} -> {(rank + 1) % 3} -> {(rank + 2) % 3} -> {rank}") for rank in range(3)}, ring


def test_deadlock_ends_the_job_with_a_report(mpich_module, ring):
    assert ring.status != 0 and len(reported(mpich_module.work / "ring.json")) == 3, ring


def test_deadlock_ends_the_job_so_that_other_tools_keep_what_they_have(mpich):
    program = mpich.program(HERE / "wrong/deadlock_ring.c", "-pthread")
    result = mpich.mpiexec(3, program, tools="profile(out=p),check(timeout=1,deadlock=abort,out=c)")
    assert result.status != 0 and "QMPI tool profile: MPI_Abort was called" in result.err, result
    assert list(mpich.work.glob("p.records/*")), result


FENCES = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, *memory;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 1)
        sleep(3);       /* works */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
"""


def test_window_with_a_process_without_the_tool_is_no_deadlock(mpich):
    """What a call on a window that is not compared waits for is unknown, so it is not reported, however long it takes."""
    program = mpich.program(FENCES, name="fences.c")
    result = mpich.run("mpiexec", "-n", 1, "-env", "MPIR_CVAR_QMPI_TOOL_LIST", "check(timeout=1,deadlock=abort,out=one.json)", program,
                       ":", "-n", 1, program)
    assert result.status == 0 and reported(mpich.work / "one.json") == [], result


CROSSED = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


def test_cycle_with_a_collective_operation_names_both_reasons_why_it_may_complete(mpich):
    """A send that waits for a broadcast completes if the library buffers it, but also if the broadcast does not wait."""
    result = mpich.mpiexec(2, mpich.program(CROSSED, name="crossed.c"), tools="check(out=crossed.json)")
    finding, = reported(mpich.work / "crossed.json")
    assert finding["function"] == "MPI_Send" and finding["text"].startswith(
        "completes only if the library buffers the message, or if a collective operation does not wait for all processes; cycle: "), result


POLLS = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, value, flag = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        while (!flag) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            usleep(1000);
        }
    } else {
        if (argc > 1)
            sleep(4);           /* works */
        else
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""
NO_PROGRESS = "left out of the search for deadlocks: it tests in vain (MPI_Test at polls.c:"


def test_processes_that_only_test_are_named_without_a_finding(mpich):
    result = mpich.mpiexec(2, mpich.program(POLLS, name="polls.c"), tools="check(timeout=1,out=polls.json,status=7)", seconds=10,
                           may_time_out=True)
    assert NO_PROGRESS in result.err and "deadlock: " not in result.err and result.status == 124, result
    assert reported(mpich.work / "polls.json") == [] if (mpich.work / "polls.json").exists() else True


def test_a_process_that_tests_while_another_one_works_is_not_named(mpich):
    result = mpich.mpiexec(2, mpich.program(POLLS, name="polls.c"), "works", tools="check(timeout=1,out=polls.json)")
    assert result.status == 0 and "in vain" not in result.err and reported(mpich.work / "polls.json") == [], result


REVERSED = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, value = 0, *memory;
    MPI_Comm reversed;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, reversed, &memory, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Win_flush(0, window);                                       /* not locked */
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);          /* outside */
        MPI_Win_lock_all(0, window);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);          /* same */
        MPI_Win_unlock_all(window);
        MPI_Win_unlock(0, window);                                      /* not locked */
    }
    MPI_Win_free(&window);
    MPI_Comm_free(&reversed);
    MPI_Finalize();
    return 0;
}
"""


def test_target_of_a_window_is_named_by_its_rank_in_the_world(mpich):
    """As all ranks of the report, not by that in the group of the window, which has the processes in another order."""
    mpich.mpiexec(3, mpich.program(REVERSED, name="reversed.c"), tools="check(out=reversed.json)")
    texts = {one["text"].split(" (")[0] for one in reported(mpich.work / "reversed.json")}
    assert {"access to rank 2 outside an epoch", "same displacement of rank 2 already accessed in this epoch",
            "the target is not locked: rank 2"} <= texts, texts
    assert not any("rank 0" in text for text in texts), texts


# ---- a generated collection ----

@pytest.mark.long
@pytest.mark.parametrize("name", collection.TEMPLATES)
def test_errors_of_a_drawn_part_of_the_collection_are_found(mpich, name):
    """One of ten programs of each class; the seed is in the test's name when it fails."""
    cases = {name: collection.collection(mpich.prefix)[name]}
    outcomes, text = outcomes_of(mpich, cases, 10)
    assert all(one.found == one.tried for one in outcomes[name]), text


def outcomes_of(mpich, cases, part, way=""):
    """Of one of part programs of each class, and as a text."""
    seed = int(os.environ.get("QMPI_COLLECTION_SEED", random.randrange(1000)))
    outcomes = collection.run_all(collection.choose(cases, part, seed, way), mpich.prefix, mpich.work, 2, way)
    text = f"seed {seed}\n{collection.table(outcomes)}"
    assert not any(one.alarms or one.failure for own in outcomes.values() for one in own), text
    return outcomes, text


def outcomes_by(way, mpich):
    return outcomes_of(mpich, collection.collection(mpich.prefix), 40, way)


@pytest.mark.long
def test_errors_are_found_in_a_second_thread_while_the_first_one_communicates(mpich):
    outcomes, text = outcomes_by("thread", mpich)
    assert all(one.found == one.tried for own in outcomes.values() for one in own), text


@pytest.mark.hours
@pytest.mark.parametrize("way", ["spawned", "merged"])
def test_errors_are_found_in_spawned_processes(mpich, spawned, way):
    spawned(2, mpich.program(COMMON / "worlds.c"), "spawn", tools="null")
    outcomes, text = outcomes_by(way, mpich)
    assert all(one.found == one.tried for own in outcomes.values() for one in own), text


@pytest.mark.long
def test_errors_are_found_in_a_session(mpich):
    """The library ends the program at some invalid arguments, and MPICH 5 at messages that are not received, as nobody gets
    these errors without MPI_COMM_WORLD."""
    outcomes, text = outcomes_by("session", mpich)
    ended = ["invalid argument", *(["message not received"] if mpich.version >= (5,) else [])]
    assert all(one.found == one.tried for name, own in outcomes.items() if name not in ended for one in own), text


# ---- programs ----

@pytest.mark.parametrize("name", ["truncation_any", "collective_type", "overlap_receives", "unreceived"])
def test_status_of_a_wrong_program_is_that_without_the_tool(mpich, run, name):
    program = WRONG[name]
    may_hang = name == "unreceived" and mpich.version >= (5,)
    without = mpich.mpiexec(2, mpich.program(program.path, "-pthread"), *program.words, tools="", may_time_out=may_hang)
    if without.status == 124:
        pytest.skip("the program hangs in MPICH 5.0.1 without the tool")
    ended = (9, 15)     # signals of mpiexec for processes of a job that failed; either can be its status
    status = run(program.path, "out=same.txt", 2, *program.words).status
    assert status == without.status or (status in ended and without.status in ended)


@pytest.mark.parametrize("changed", ["world", "self"])
def test_error_handlers_are_those_of_the_program(mpich, changed):
    """check has one of its own where the program has none; the library decides what happens without one. mpiexec would
    replace the status of a process that it ends."""
    program = mpich.program(HERE / "error_handlers.c")
    without = mpich.run(program, changed)
    result = mpich.run(program, changed, MPIR_CVAR_QMPI_TOOL_LIST="check(out=handlers.txt,arguments=no)")
    assert without.status and (result.status, result.out) == (without.status, without.out), (without, result)


def lines_without_numbers(result):
    """Lines of all processes in one order; times and addresses differ from run to run."""
    return sorted(re.sub(r"[0-9. ]+", "N", result.out).splitlines())


@pytest.mark.parametrize("name", ["netpipe", "hdf5"])
def test_nothing_is_found_in_a_real_program(mpich, real_program, name):
    ranks, command, variables = real_program(mpich, name)
    without = mpich.mpiexec(ranks, *command, tools="", **variables)
    result = mpich.mpiexec(ranks, *command, tools=f"check(out={name})", **variables)
    assert (result.status, lines_without_numbers(result)) == (0, lines_without_numbers(without)), result
    assert reported(mpich.work / f"{name}.json") == []
    assert re.fullmatch(rf"check: 0 findings in [1-9]\d* calls of {ranks} processes\nnot looked for: buffer changed, message race\n",
                        (mpich.work / f"{name}.txt").read_text())
