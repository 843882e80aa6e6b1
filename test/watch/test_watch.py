# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tool watch and "qmpi_report where": programs that hang, each for another reason, and the lines that a person
expects. Times and processor shares depend on the machine, so only their form is compared."""

import json
import random
import re
import subprocess
from pathlib import Path

import pytest

from marks import line_of

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "hangs.c"
RANKS = 4
TIME = r"(?:\d+ s to )?\d+ s"
WORLD = "MPI_COMM_WORLD"


def call(function, words, communicator=WORLD):
    """MPI_Recv (hangs.c:12, MPI_COMM_WORLD)"""
    return f"{function} ({line_of(words, SOURCE)}{', ' + communicator if communicator else ''})"


def without_times(text):
    text = re.sub(rf"\bfor {TIME}", "for T", text)
    text = re.sub(r"\b\d+ % CPU", "N % CPU", text)
    return re.sub(r"\(process \d+\)", "(process P)", text)


class Hang:
    """A job that hangs, what where says of it when it has said the same for some time, and what it says when the job is
    killed."""

    def __init__(self, mpich, program, ranks=RANKS, ready=None, options="", of="$job", pause=1, repeats=2, tools=None, then=""):
        names = " ".join(f"ready.{name}" for name in (range(ranks) if ready is None else ready))
        tools = tools or f"watch(records={mpich.work})"
        script = f"""
            mpiexec -n {ranks} {options} -genv LD_PRELOAD "$1" -genv MPIR_CVAR_QMPI_TOOL_LIST "$2" \\
                $3 < /dev/null > out 2> err & job=$!
            for name in {names}; do until [ -e $name ]; do sleep 0.05; done; done
            same=0 last=
            while :; do
                sleep {pause}
                qmpi_report where {of} > where.txt 2> where.err; echo $? > where.status
                now=$(sed 's/[0-9]* \\(s\\|% CPU\\)//g' where.txt)
                if [ "$now" = "$last" ]; then same=$((same + 1)); else same=0; fi
                [ $same -lt {repeats} ] || break
                last=$now
            done
            qmpi_report where --json {of} > where.json 2>> where.err
            {then}
            for stopped in ready.1 stopped; do [ ! -s $stopped ] || kill -CONT $(cat $stopped) 2> /dev/null; done
            kill -TERM $job
            wait $job
            true"""
        result = mpich.run("sh", "-c", script, "sh", mpich.nap(), tools, program, seconds=100)
        self.work = mpich.work
        self.err = self.read("where.err") + self.read("err")
        assert result.status == 0 and self.read("where.status").strip() == "0", (result, self.err)
        self.text = self.read("where.txt")
        self.lines = without_times(self.text).splitlines()
        self.json = json.loads(self.read("where.json"))

    def read(self, name):
        return (self.work / name).read_text(errors="replace")

    @property
    def world(self):
        assert len(self.json["worlds"]) == 1
        return self.json["worlds"][0]


@pytest.fixture
def hang(mpich):
    program = mpich.program(SOURCE, "-pthread")

    def hang(reason, *arguments, **keywords):
        return Hang(mpich, f"{program} {reason}", *arguments, **keywords)
    return hang


BARRIER = call("MPI_Barrier", "barrier")


# ---- reasons to hang ----

def test_missing_send(hang):
    result = hang("missing_send")
    assert result.lines == [
        f"ranks 0-1 wait for each other for T: rank 0 in {BARRIER}; "
        f"rank 1 in {call('MPI_Recv', 'missing')}: a message from rank 0 with tag 7",
        f"ranks 2-3 wait in {BARRIER} for T"]
    assert result.world["cycles"] == [[0, 1]]


def test_rank_in_a_loop(hang):
    assert hang("loop").lines == [
        f"rank 3 has been outside MPI for T, after {call('MPI_Allreduce', 'before loop', '')}: running, N % CPU",
        f"ranks 0-2 wait in {BARRIER} for T"]


def test_stopped_rank(hang):
    assert hang("stopped").lines == [
        "rank 1 (process P) is stopped by a signal (SIGCONT continues), outside MPI, "
        f"after {call('MPI_Barrier', 'before stop', '')}",
        f"ranks 0, 2-3 wait in {BARRIER} for T"]


def test_killed_rank(hang):
    assert hang("killed").lines == [
        "rank 1 (process P) has died without MPI_Finalize, outside MPI, "
        f"after {call('MPI_Allreduce', 'before kill', '')}",
        f"ranks 0, 2-3 wait in {BARRIER} for T"]


def test_wildcard_receive(hang):
    assert hang("wildcard").lines == [
        f"rank 0 waits in {call('MPI_Recv', 'wildcard')} for T: a message from any rank",
        f"ranks 1-3 wait in {BARRIER} for T"]


def test_different_collectives(hang):
    result = hang("collectives")
    place = call("MPI_Barrier", "other collective")
    assert result.lines[0].startswith(f"ranks 0-1 wait for each other for T: rank 0 in {place}")
    assert result.lines[1:] == [f"ranks 2-3 wait in {call('MPI_Allreduce', 'collective')} for T"]


def test_head_to_head_sends(hang):
    send = call("MPI_Send", "heads") + ": 1048576 bytes to rank {} with tag 3"
    assert hang("heads").lines == [
        f"ranks 0-1 wait for each other for T: rank 0 in {send.format(1)}; rank 1 in {send.format(0)}",
        f"ranks 2-3 wait in {BARRIER} for T"]


def test_thread_with_a_lock(hang):
    """The rank's main thread waits for the lock outside MPI."""
    assert hang("lock", pause=2).lines == [
        f"ranks 0-1 wait for each other for T: rank 0 in {BARRIER}; "
        f"rank 1 in {call('MPI_Recv', 'with lock')}: a message from rank 0 with tag 1",
        f"ranks 2-3 wait in {BARRIER} for T"]


def test_requests_that_never_complete(hang):
    assert hang("waitall").lines == [
        f"rank 0 waits in {call('MPI_Waitall', 'waitall', '')} for T: 3 requests",
        f"ranks 1-3 wait in {BARRIER} for T"]


def test_finalize_that_a_rank_does_not_reach(hang):
    assert hang("finalize").lines == [
        f"rank 0 has been outside MPI for T, after {call('MPI_Barrier', 'before sleep', '')}: sleeping, N % CPU",
        f"ranks 1-3 wait in {call('MPI_Finalize', 'finalize', '')} for T"]


def test_exit_without_finalize(hang):
    assert hang("leave", options="-disable-auto-cleanup").lines == [
        "rank 1 (process P) has ended without MPI_Finalize, outside MPI, "
        f"after {call('MPI_Barrier', 'before exit', '')}",
        f"ranks 0, 2-3 wait in {BARRIER} for T"]


def test_init_that_a_rank_does_not_call(hang):
    assert hang("init").lines == [
        f"ranks 0, 2-3 wait in {call('MPI_Init_thread', 'init', '')} for T",
        "rank 1 has no record: it has ended, or has not begun MPI_Init with the tool watch"]


def test_cycle_of_many_ranks(hang):
    receive = call("MPI_Recv", "ring")
    result = hang("ring", ranks=16)
    assert result.lines == [
        "ranks 0-15 wait in a cycle for T: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> ... -> 15 -> 0",
        f"16 of 16 ranks wait in {receive} for T: a message from rank 1 with tag 0 (rank 0), a message from rank 2 "
        "with tag 0 (rank 1), a message from rank 3 with tag 0 (rank 2), ..."]
    assert result.world["cycles"] == [list(range(16))]


def test_ranks_of_other_communicators(hang):
    """Rank 1 of a half is known by its rank in MPI_COMM_WORLD; the communicators by name or size."""
    result = hang("halves")
    assert f"rank 2 in {call('MPI_Recv', 'half receive', 'communicator of 2 ranks')}: a message from rank 0 " \
        "(1 of that communicator) with tag 4" in result.lines[0] + result.lines[1]
    assert f"rank 3 in {call('MPI_Recv', 'half receive', 'odd half')}: a message from rank 1 with tag 4" \
        in result.lines[0] + result.lines[1]
    assert sorted(sorted(cycle) for cycle in result.world["cycles"]) == [[0, 2], [1, 3]]


def test_rank_that_polls(hang):
    assert hang("poll").lines == [
        f"rank 0 polls with {call('MPI_Iprobe', 'poll')}, without result",
        f"ranks 1-3 wait in {BARRIER} for T"]


def test_call_inside_a_callback(hang):
    assert hang("callback").lines == [
        f"ranks 0-1 wait for each other for T: rank 0 in {call('MPI_Recv', 'callback')}: a message from rank 1 with "
        f"tag 2; rank 1 in {BARRIER}",
        f"ranks 2-3 wait in {BARRIER} for T"]


def test_calls_that_were_left_by_longjmp(hang):
    assert f"rank 0 in {call('MPI_Recv', 'after jumps')}: a message from rank 1 with tag 0" in hang("jumps").lines[0]


def test_fortran(mpich):
    source = HERE / "hangs.F90"
    place = f"MPI_Recv ({line_of('fortran', source)}, {WORLD})"
    assert Hang(mpich, mpich.program(source), ranks=2).lines == [
        f"ranks 0-1 wait for each other for T: rank 0 in {place}: a message from rank 1 with tag 5; "
        f"rank 1 in {place}: a message from rank 0 with tag 5"]


# ---- stacks ----

def test_stack_says_where_a_rank_computes(hang):
    assert hang("loop", of="--stack $job").lines == [
        f"rank 3 has been outside MPI for T, after {call('MPI_Allreduce', 'before loop', '')}, in compute "
        f"({line_of('in loop', SOURCE)}): running, N % CPU",
        f"ranks 0-2 wait in {BARRIER} for T"]


def test_stacks_of_a_job_without_the_tool(hang):
    result = hang("loop", of="--stack $job", tools="null")
    assert result.lines == [
        f"rank 3 is outside MPI, in compute ({line_of('in loop', SOURCE)}): running, N % CPU",
        f"ranks 0-2 are in {call('MPI_Barrier', 'barrier', '')}",
        "from the stacks alone: with the tool watch there are communicators, partners and times"]
    assert [rank["rank"] for rank in result.world["ranks"]] == [0, 1, 2, 3]


# ---- jobs ----

def test_sixteen_ranks_are_grouped(hang):
    assert hang("loop", ranks=16).lines == [
        f"rank 15 has been outside MPI for T, after {call('MPI_Allreduce', 'before loop', '')}: running, N % CPU",
        f"15 of 16 ranks wait in {BARRIER} for T"]


@pytest.mark.parametrize("of", ["$(cat ready.0)", "qmpi-watch-*", ".", "qmpi-watch-*/*.record"])
def test_job_by_rank_or_records(hang, of):
    result = hang("missing_send", of=of)
    assert len(result.lines) == 2 and result.lines[1] == f"ranks 2-3 wait in {BARRIER} for T", result.text


def test_dead_job(hang):
    """The records of a job that was killed say where each rank was."""
    result = hang("loop", then="kill -KILL $(cat ready.*); sleep 1; qmpi_report where $job > dead.txt; "
                               "qmpi_report where $(cat ready.2) > rank.txt")
    dead = without_times(result.read("dead.txt"))
    assert dead.splitlines() == [
        "rank 3 (process P) has died without MPI_Finalize, outside MPI, "
        f"after {call('MPI_Allreduce', 'before loop', '')}",
        f"ranks 0-2 have died without MPI_Finalize, in {BARRIER}"]
    assert without_times(result.read("rank.txt")) == dead


def test_child_of_fork_leaves_the_record_alone(hang):
    result = hang("forked", ready=[0, 1, 2, 3, 1000])
    rank = result.world["ranks"][0]
    assert rank["state"] in ("running", "sleeping") and "MPI_Iprobe" not in rank["calls"]
    assert result.lines[0].startswith("ranks 0-1 wait for each other")


def test_records_of_another_host(hang):
    """What the record has is said; of the process nothing."""
    elsewhere = "unshare -u sh -c 'hostname other-host && qmpi_report where qmpi-watch-*' > other.txt 2> other.err"
    result = hang("loop", then=elsewhere)
    if not result.read("other.txt"):
        pytest.skip("this user cannot make another host: " + result.read("other.err"))
    lines = without_times(result.read("other.txt")).splitlines()
    last = call("MPI_Allreduce", "before loop", "")
    assert lines[0].startswith(f"rank 3 has been outside MPI for T, after {last}: on host ")
    assert lines[0].endswith(", which cannot be looked at from here")
    assert lines[1:] == [f"ranks 0-2 wait in {BARRIER} for T"]


def test_json_has_the_facts(hang):
    world = hang("heads").world
    rank = world["ranks"][0]
    newest = rank["threads"][0]["last_calls"][0]
    assert (world["size"], world["missing"], [one["rank"] for one in world["ranks"]]) == (4, [], [0, 1, 2, 3])
    assert (newest["function"], newest["peer"], newest["tag"], newest["bytes"]) == ("MPI_Send", 1, 3, 1 << 20)
    assert f"{Path(newest['site']['file']).name}:{newest['site']['line']}" == line_of("heads", SOURCE)
    assert newest["communicator"]["name"] == WORLD and newest["seconds"] >= 0.9
    assert rank["calls"] == {"MPI_Init_thread": 1} and rank["state"] in ("running", "sleeping")


# ---- messages for bad input ----

@pytest.mark.parametrize("job, message", [
    ("99999999", "no process 99999999 on this host, and no record of one"),
    ("0", "no process 0 on this host, and no record of one"),
    ("nothing", "nothing does not exist: a job is the number of a process, or a folder of records"),
    ("empty", "empty has no records"),
    ("text", "text: this is not a record of these tools"),
    ("short", "short: this is not a record of these tools"),
])
def test_message_for_a_wrong_job(mpich, job, message):
    (mpich.work / "empty").mkdir()
    (mpich.work / "text").write_text("This is a text and not a record of any tool at all.\n" * 10)
    (mpich.work / "short").write_bytes(b"QMPIrec3")
    result = mpich.run("qmpi_report", "where", job)
    assert (result.status, result.out, result.err) == (2, "", f"qmpi_report: {message}\n"), result


def test_message_for_a_job_without_the_tool(mpich):
    process = subprocess.Popen(["sleep", "60"], cwd=mpich.work)
    try:
        result = mpich.run("qmpi_report", "where", process.pid)
    finally:
        process.kill()
        process.wait()
    message = f"process {process.pid} and those that it has started have no records: start the job with the tool " \
        "watch (MPIR_CVAR_QMPI_TOOL_LIST=watch), or read its stacks (--stack)"
    assert (result.status, result.err) == (2, f"qmpi_report: {message}\n"), result


def test_damaged_records(mpich, hang):
    """Whatever a record has, there is an answer or a message, and no crash."""
    hang("missing_send")
    good = next(mpich.work.glob("qmpi-watch-*/*.record")).read_bytes()
    chance = random.Random(1)
    for number in range(30):
        bad = bytearray(good)
        for _ in range(1 << number % 15):
            bad[chance.randrange(32, len(bad))] = chance.choice((0, 1, 127, 255))
        if number >= 15:
            del bad[chance.randrange(len(bad)):]
        (mpich.work / "bad").write_bytes(bad)
        result = mpich.run("qmpi_report", "where", "bad")
        assert (result.status, bool(result.err)) in ((0, False), (2, True)), result


# ---- harmless ----

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\\n", sum);
    MPI_Finalize();
    return 3;
}
"""


@pytest.fixture
def program(mpich):
    return mpich.program(PROGRAM, name="good.c")


def test_good_end_leaves_nothing(mpich, program):
    result = mpich.mpiexec(4, program, tools=f"watch(records={mpich.work / 'records'})")
    assert (result.status, result.out, result.err) == (3, "sum 6\n", ""), result
    assert list((mpich.work / "records").iterdir()) == []


def test_records_are_small_and_private(hang):
    result = hang("missing_send", then="stat -c '%s %a' qmpi-watch-*/*.record; stat -c %a qmpi-watch-* > mode; "
                                       "stat -c %s qmpi-watch-*/*.record > sizes")
    assert [int(size) <= 1 << 16 for size in result.read("sizes").split()] == [True] * RANKS
    assert result.read("mode").strip() == "700"


@pytest.mark.parametrize("folder", ["/proc", "/dev/null/folder", "file"])
def test_folder_that_cannot_be_written(mpich, program, folder):
    (mpich.work / "file").write_text("")
    result = mpich.mpiexec(4, program, tools=f"watch(records={folder})")
    assert (result.status, result.out) == (3, "sum 6\n"), result
    message = 'QMPI tool watch: no record, so "qmpi_report where" cannot see this process: '
    assert result.err.startswith(message) and result.err.count("\n") == 1, result


def test_folder_of_another_user(mpich, program):
    """The folder's name is known to all, so it must not be a link that somebody else has made."""
    (mpich.work / f"qmpi-watch-{mpich.work.stat().st_uid}").symlink_to("/tmp")
    result = mpich.mpiexec(2, program, tools=f"watch(records={mpich.work})")
    assert (result.status, result.out) == (3, "sum 1\n") and "is not a folder that this user alone can enter\n" in result.err, result


def test_two_instances(mpich, program):
    result = mpich.mpiexec(2, program, tools=",".join(2 * [f"watch(records={mpich.work / 'records'})"]))
    assert (result.status, result.out, result.err) == (3, "sum 1\n", ""), result
    assert list((mpich.work / "records").iterdir()) == []


def test_threads(mpich):
    """More threads than the record has room for."""
    source = """
        #include <mpi.h>
        #include <pthread.h>
        #include <stdio.h>
        static void *work(void *unused)
        {
            for (int i = 0; i < 1000; i++)
                MPI_Barrier(MPI_COMM_SELF);
            return unused;
        }
        int main(int argc, char **argv)
        {
            int level;
            pthread_t threads[50];
            MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
            for (int i = 0; i < 50; i++)
                pthread_create(&threads[i], NULL, work, NULL);
            for (int i = 0; i < 50; i++)
                pthread_join(threads[i], NULL);
            MPI_Finalize();
            puts("done");
            return 0;
        }
        """
    program = mpich.program(source, "-pthread", name="threads.c")
    result = mpich.mpiexec(1, program, tools=f"watch(records={mpich.work / 'records'})")
    assert (result.status, result.out, result.err) == (0, "done\n", ""), result
