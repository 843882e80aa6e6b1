# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tool trace: archives (read by otf2-print) and JSON against the books that programs keep of their own calls."""

import collections
import json
import re
from pathlib import Path

import pytest

from archive import Trace, rank_of, region

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
HALO = HERE.parents[1] / "examples/qmpi/halo.c"


# ---- books and form ----

def read_book(work, rank):
    """Calls, sent and received messages that the program has counted."""
    book = {"call": collections.Counter(), "sent": collections.Counter(), "received": collections.Counter()}
    for line in (work / f"expect.{rank}").read_text().splitlines():
        what, *key, number = line.split()
        book[what][key[0] if what == "call" else tuple(map(int, key))] += int(number)
    return book


def assert_form(trace):
    """Every archive is read, its calls nest, times do not decrease, and locations have the declared numbers of events."""
    assert (trace.result.status, trace.result.err, trace.definitions.status) == (0, "", 0), trace.result
    depth, last, numbers, wrong = collections.defaultdict(list), {}, collections.Counter(), []
    for kind, location, time, fields in trace.events:
        if time < last.get(location, 0):
            wrong.append((location, time))
        last[location] = time
        numbers[location] += 1
        if kind == "ENTER":
            depth[location].append(region(fields))
        elif kind == "LEAVE" and (not depth[location] or depth[location].pop() != region(fields)):
            wrong.append((kind, location, time))
    assert (wrong, [stack for stack in depth.values() if stack]) == ([], [])
    assert numbers == {location: number for location, number in trace.locations.items() if number}


# ---- messages of all kinds ----

RANKS = 4


@pytest.fixture(scope="module")
def messages_program(mpich_module):
    return mpich_module.program(HERE / "messages.c", "-Wno-stringop-overflow")


@pytest.fixture(scope="module")
def messages(mpich_module, messages_program):
    """Folder, result and archive of a program with messages of all kinds."""
    result = mpich_module.mpiexec(RANKS, messages_program, tools="trace(out=messages,formats=otf2+json+html)")
    return mpich_module.work, result, Trace(mpich_module, "messages")


def test_traced_program_ends_well_in_silence(messages):
    work, result, _ = messages
    assert (result.status, result.err) == (0, "") and not (work / "messages.unfinished").exists(), result


def test_archive_is_well_formed(messages):
    assert_form(messages[2])


@pytest.mark.parametrize("rank", range(RANKS))
def test_calls_of_each_function(messages, rank):
    assert messages[2].calls(rank) == read_book(messages[0], rank)["call"]


@pytest.mark.parametrize("rank", range(RANKS))
@pytest.mark.parametrize("side, kinds", [("sent", {"MPI_SEND", "MPI_ISEND"}), ("received", {"MPI_RECV", "MPI_IRECV"})])
def test_messages(messages, side, kinds, rank):
    assert messages[2].messages(kinds, rank) == read_book(messages[0], rank)[side]


@pytest.mark.parametrize("rank", range(RANKS))
def test_every_request_is_completed_or_cancelled(messages, rank):
    requests = messages[2].requests
    assert requests({"MPI_ISEND"}, rank) == requests({"MPI_ISEND_COMPLETE"}, rank)
    assert requests({"MPI_IRECV_REQUEST"}, rank) == requests({"MPI_IRECV", "MPI_REQUEST_CANCELLED"}, rank)
    assert len(requests({"MPI_REQUEST_CANCELLED"}, rank)) == 1


def test_collective_operations_have_root_bytes_and_communicator(messages):
    found, expected = collections.Counter(), collections.Counter()
    for kind, location, _, fields in messages[2].events:
        if kind in ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"):
            found[location, fields["Operation"], fields["Root"].split()[0], int(fields["Sent"]), int(fields["Received"]),
                  fields["Communicator"].split('"')[1]] += 1
    for rank in range(RANKS):
        world = "MPI_COMM_WORLD"
        expected[rank, "BCAST", "1", 1000 * (RANKS - 1) * (rank == 1), 1000 * (rank != 1), world] += 5
        expected[rank, "REDUCE", "0", 4, 4 * RANKS * (rank == 0), world] += 1
        expected[rank, "ALLREDUCE", "NONE", 4 * RANKS, 4 * RANKS, world] += 1
        expected[rank, "BARRIER", "NONE", 0, 0, world] += 2
        expected[rank, "ALLTOALL", "NONE", 8 * RANKS, 8 * RANKS, world] += 1
        expected[rank, "ALLREDUCE", "NONE", 4 * RANKS // 2, 4 * RANKS // 2, "half of the world"] += 1
        expected[rank, "BCAST", "0", 4 * (RANKS // 2 - 1) * (rank < 2), 4 * (rank >= 2), "half of the world"] += 1
        expected[rank, "BARRIER", "NONE", 0, 0, ""] += 1
    assert found == expected


# ---- operations whose end is unknown, and functions that are not recorded ----

@pytest.fixture(scope="module")
def unknown(mpich_module):
    """Archive of a program with such operations, and its folder."""
    result = mpich_module.mpiexec(2, mpich_module.program(HERE / "unknown.c"),
                                  tools="trace(out=unknown),"
                                  "trace(out=few,functions=environment+MPI_Irecv+MPI_Isend)")
    assert result.status == 0, result
    return Trace(mpich_module, "unknown"), mpich_module.work


def test_send_that_is_freed_early_is_complete_in_the_archive(unknown):
    for rank in range(2):
        assert len(unknown[0].requests({"MPI_ISEND"}, rank)) == 5
        assert unknown[0].requests({"MPI_ISEND"}, rank) == unknown[0].requests({"MPI_ISEND_COMPLETE"}, rank)


def test_receive_from_an_unknown_rank_is_cancelled_in_the_archive(unknown):
    for rank in range(2):
        assert unknown[0].messages({"MPI_RECV", "MPI_IRECV"}, rank) == {(1 - rank, 1, 7): 1, (1 - rank, 3, 100): 3}
        assert len(unknown[0].requests({"MPI_REQUEST_CANCELLED"}, rank)) == 1


def values(packed):
    """Run-length encoded values of a page."""
    return [value for part in packed for value in (part[:1] * part[1] if isinstance(part, list) else [part])]


def moved_in(page):
    """{function: (bytes sent, bytes received)} of the table of functions."""
    data = json.loads(re.search('<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
    table = next(part for part in data["parts"] if part["kind"] == "table")
    columns = {column["title"]: values(column["values"]) for column in table["columns"]}
    return {name: (sent, received) for name, sent, received in zip(*(columns[key] for key in ("Function", "Sent", "Received")))
            if sent or received}


def test_page_has_bytes_at_the_function_that_describes_the_operation(unknown):
    """The functions that complete the requests are not recorded."""
    assert moved_in((unknown[1] / "few.html").read_text()) == {"MPI_Isend": (600, 0), "MPI_Irecv": (0, 600)}


def test_archive_has_the_call_sites(messages):
    source = (HERE / "messages.c").read_text().splitlines()
    lines = {f"cancelled (messages.c:{i})" for i, text in enumerate(source, 1) if "CALL(MPI_Cancel," in text}
    assert lines and lines <= set(messages[2].sites)


def test_page_has_the_functions(messages):
    page = (messages[0] / "messages.html").read_text()
    assert "</html>" in page and "MPI_Sendrecv" in page


@pytest.mark.parametrize("ranks, text", [(1, "1 rank, 1 thread on 1 host"), (2, "2 ranks, 2 threads on 1 host")])
def test_page_has_the_number_of_ranks(mpich, run, ranks, text):
    run("trace(out=page.html)", "world", ranks=ranks)
    assert text in (mpich.work / "page.html").read_text()


# ---- the same in JSON, for Perfetto ----

class Chrome:
    """Events of a JSON file by phase."""

    def __init__(self, path):
        self.phases = collections.defaultdict(list)
        for event in json.loads(path.read_text())["traceEvents"]:
            self.phases[event["ph"]].append(event)


def assert_chrome(chrome, trace, ranks, inexact=0):
    """The JSON has the calls, times and messages of the archive. Times may differ by so many nanoseconds where clocks
    were corrected."""
    phases = chrome.phases
    assert sorted(phases) == ["M", "X", "f", "s"]
    assert all({"name", "ts", "pid", "tid"} <= event.keys() for phase in "Xfs" for event in phases[phase])
    assert all(event["dur"] >= 0 and event["ts"] >= 0 for event in phases["X"])
    for rank in range(ranks):
        assert collections.Counter(event["name"] for event in phases["X"] if event["pid"] == rank) == trace.calls(rank)
    times, archive = collections.Counter(), trace.times()
    for event in phases["X"]:
        times[event["pid"], event["tid"], event["name"]] += round(event["dur"] * 1000)
    assert times.keys() == archive.keys() and all(abs(time - archive[key]) <= inexact for key, time in times.items())


def assert_chrome_messages(chrome, trace, inexact=0):
    starts, ends = chrome.phases["s"], chrome.phases["f"]
    assert len(starts) == sum(kind in ("MPI_SEND", "MPI_ISEND") for kind, *_ in trace.events)
    assert len({event["id"] for event in starts}) == len(starts)
    assert {event["id"]: event["args"]["bytes"] for event in starts} == {event["id"]: event["args"]["bytes"] for event in ends}
    begin = {event["id"]: event["ts"] for event in starts}
    assert not [event for event in ends if event["ts"] + inexact / 1000 < begin[event["id"]]]


def test_json_has_the_calls_and_times_of_the_archive(messages):
    assert_chrome(Chrome(messages[0] / "messages.json"), messages[2], RANKS)


def test_json_has_every_message_with_start_end_and_bytes(messages):
    assert_chrome_messages(Chrome(messages[0] / "messages.json"), messages[2])


def test_json_has_the_messages_of_receives_that_another_thread_posted(mpich):
    """Two of one channel, completed in the other order"""
    tools = "trace(out=threads,formats=otf2+json)"
    assert mpich.mpiexec(2, mpich.program(HERE / "threads.c", "-pthread"), tools=tools).status == 0
    assert_chrome_messages(Chrome(mpich.work / "threads.json"), Trace(mpich, "threads"))


def test_messages_of_communicators_created_in_different_orders(mpich):
    """Both ends of a message are on the same communicator."""
    mpich.mpiexec(2, mpich.program(HERE / "order.c"), tools="trace(out=order,formats=otf2)")
    communicator = {"MPI_SEND": {}, "MPI_RECV": {}}
    for kind, _, _, fields in Trace(mpich, "order").events:
        if kind in communicator:
            communicator[kind][fields["Tag"]] = fields["Communicator"]
    assert communicator["MPI_SEND"] == communicator["MPI_RECV"] and len(set(communicator["MPI_SEND"].values())) == 2


# ---- threads, ends, worlds ----

@pytest.fixture
def run(mpich):
    """Run ends.c under a list."""
    def run(tools, *words, ranks=2, **keywords):
        return mpich.mpiexec(ranks, mpich.program(HERE / "ends.c", "-pthread"), *words, tools=tools, **keywords)
    return run


def test_threads_that_overlap_have_a_location_each(mpich, run):
    """Three threads follow each other in one location, which one of three threads at once may continue."""
    assert run("trace(out=threads)", "threads").status == 0
    trace = Trace(mpich, "threads")
    assert_form(trace)
    assert {location >> 32 for location in trace.locations} <= {0, 1, 2, 3}
    found = collections.Counter(location for kind, location, _, fields in trace.events
                                if kind == "ENTER" and region(fields) == "MPI_Sendrecv")
    assert found[0] == found[1] == 0 and all(number % 1000 == 0 for number in found.values())
    assert [sum(number for location, number in found.items() if rank_of(location) == rank) for rank in range(2)] == [6000, 6000]
    assert min(found[rank + (1 << 32)] for rank in range(2)) >= 3000


@pytest.fixture
def finish(mpich):
    def finish(*words):
        return mpich.run("qmpi_report", "otf2", *words)
    return finish


@pytest.mark.parametrize("end", ["kill", "fault", "abort", "exit"])
def test_trace_of_a_job_that_did_not_finalize_can_be_finished(mpich, run, finish, end):
    """No call and no message of rank 1 is lost; the journals are removed."""
    result = run(f"trace(out={end},formats=otf2+json+html)", "world", end)
    assert (mpich.work / f"{end}.unfinished").is_dir(), result
    finished = finish("--otf2", "--json", "--html", f"{end}.unfinished")
    # mpiexec may return before a process that it kills has ended
    is_running = "still running" in finished.err
    assert finished.status == 0 and (mpich.work / f"{end}.unfinished").exists() == is_running, finished
    trace = Trace(mpich, end)
    assert_form(trace)
    assert [trace.calls(1)[name] for name in ("MPI_Init_thread", "MPI_Sendrecv", "MPI_Comm_rank", "MPI_Abort")] == [
        1, 1000, 1001, int(end == "abort")]
    assert sum(trace.messages({"MPI_SEND"}, 1).values()) == 1000
    assert mpich.load(f"{end}.json")
    assert "</html>" in (mpich.work / f"{end}.html").read_text()


def test_message_names_the_command_that_finishes_the_trace(mpich, run):
    result = run("trace(out=exit)", "world", "exit", options=["-disable-auto-cleanup"])
    assert f"qmpi_report otf2 {mpich.work}/exit.unfinished" in result.err, result


def test_one_process_reports_that_the_program_did_not_finalize(run):
    result = run("trace(out=exit)", "world", "exit", options=["-disable-auto-cleanup"])
    assert result.err.count("the program ended without MPI_Finalize") == 1, result


def test_trace_without_one_of_its_journals_is_finished(mpich, run, finish):
    run("trace(out=lost)", "world", "kill")
    (mpich.work / "lost.unfinished/1.0.journal").unlink()
    finished = finish("lost.unfinished")
    assert finished.status == 0, finished
    assert_form(Trace(mpich, "lost"))


def test_finishing_a_missing_folder_is_one_message(finish):
    finished = finish("nowhere")
    assert finished.status == 2 and finished.err.count("\n") == 1 and "nowhere" in finished.err, finished


def test_process_with_sessions_alone_has_an_archive(mpich, run):
    result = run("trace(out=session)", "session", ranks=1)
    names = [path.stem for path in mpich.work.glob("session.*.otf2")]
    assert result.status == 0 and len(names) == 1, (result, names)
    trace = Trace(mpich, names[0])
    assert_form(trace)
    assert trace.calls(0)["MPI_Sendrecv"] == 1000


def test_child_of_fork_does_not_touch_the_trace(mpich, run):
    result = run("trace(out=fork)", "world", "fork")
    assert (result.status, result.err) == (0, ""), result
    trace = Trace(mpich, "fork")
    assert_form(trace)
    assert trace.calls(0)["MPI_Sendrecv"] == 1000


def test_spawned_processes_have_their_own_archive(mpich, spawned):
    program = mpich.program(HERE / "ends.c", "-pthread")
    assert spawned(1, program, "world", "spawn", tools="trace(out=spawn)").status == 0
    names = [path.stem for path in mpich.work.glob("spawn*.otf2")]
    assert len(names) == 2
    for name in names:
        assert_form(Trace(mpich, name))


# ---- arguments ----

@pytest.fixture
def traced(mpich, run):
    """The archive of the program under trace with some arguments."""
    def traced(arguments, *words):
        result = run(f"trace(out=some,{arguments})", *(words or ["world"]))
        assert result.status == 0, result
        return Trace(mpich, "some")
    return traced


def test_functions_restrict_the_trace(traced):
    assert set(traced("functions=MPI_Comm_rank+environment").calls(0)) == {"MPI_Comm_rank", "MPI_Init_thread", "MPI_Finalize"}


def test_sample_takes_some_calls(traced):
    calls = traced("sample=10").calls(0)
    assert (calls["MPI_Sendrecv"], calls["MPI_Init_thread"]) == (100, 1)


def test_sites_can_be_left_out(traced):
    assert traced("sites=no").sites == []


def test_pcontrol_switches_the_trace_off_and_on(traced):
    assert traced("formats=otf2", "world", "quiet").calls(0)["MPI_Sendrecv"] == 2000


@pytest.mark.parametrize("steps, number", [
    ("0 init start wait 1 start wait start wait", 2), ("begin 0 wait", 1), ("init start 0 wait", 1),
    ("init start wait 0 start 1 wait", 1), ("0 begin 1 wait", 0)])
def test_messages_that_start_while_recording_is_on_are_complete_and_no_others(mpich, steps, number):
    result = mpich.mpiexec(2, mpich.program(COMMON / "pauses.c"), *steps.split(), tools="trace(out=pauses,formats=otf2)")
    assert result.status == 0, result
    trace = Trace(mpich, "pauses")
    assert_form(trace)
    for rank in range(2):
        assert trace.messages({"MPI_ISEND"}, rank) == trace.messages({"MPI_IRECV"}, rank) == (
            {(1 - rank, 1, 100): number} if number else {})
        assert trace.requests({"MPI_ISEND"}, rank) == trace.requests({"MPI_ISEND_COMPLETE"}, rank)
        assert trace.requests({"MPI_IRECV_REQUEST"}, rank) == trace.requests({"MPI_IRECV"}, rank)


def test_page_has_bytes_of_persistent_requests_that_are_created_while_recording_is_off(mpich):
    steps = "0 init 1 start wait start wait".split()
    mpich.mpiexec(2, mpich.program(COMMON / "pauses.c"), *steps, tools="trace(out=created.html)")
    assert moved_in((mpich.work / "created.html").read_text()) == {"MPI_Send_init": (400, 0), "MPI_Recv_init": (0, 400)}


def test_calls_that_create_persistent_requests_are_left_out_while_recording_is_off(mpich):
    mpich.mpiexec(2, mpich.program(COMMON / "pauses.c"), *"0 init 1 start wait".split(), tools="trace(out=created,formats=otf2)")
    assert Trace(mpich, "created").calls(0) == {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Pcontrol": 1, "MPI_Startall": 1,
                                                "MPI_Waitall": 1, "MPI_Request_free": 2, "MPI_Finalize": 1}


def test_clock_of_the_process(traced):
    assert_form(traced("clock=process"))


def test_suffix_of_out_chooses_the_format(mpich, run):
    run("trace(out=one.json)", "world")
    assert [path.name for path in mpich.work.glob("one*")] == ["one.json"]


def test_two_instances_have_an_archive_each(mpich, run):
    run("trace(out=twice),trace(out=twice)", "world")
    assert [Trace(mpich, name).calls(1)["MPI_Sendrecv"] for name in ("twice", "twice-2")] == [1000, 1000]


def test_default_name_is_program_tool_and_process(mpich, run):
    run("trace", "world")
    assert len(list(mpich.work.glob("ends.trace.*.otf2"))) == 1


@pytest.mark.parametrize("argument, word", [("limit=0", "limit"), ("sample=0", "sample"), ("buffer=much", "buffer"),
                                            ("formats=pdf", "pdf"), ("clock=sun", "clock"),
                                            ("functions=MPI_Nothing", "MPI_Nothing"), ("colour=red", "colour")])
def test_wrong_argument_is_refused_by_name(run, argument, word):
    result = run(f"trace({argument})", "world", ranks=1)
    assert result.status != 0 and word in result.err, result


# ---- disks ----

def test_limit_keeps_the_first_calls_and_reports_for_each_rank(mpich, run):
    result = run("trace(out=limited,limit=1)", "threads")
    assert (result.status, result.err.count("the limit of 1 MB is reached")) == (0, 2), result
    trace = Trace(mpich, "limited")
    assert_form(trace)
    kept = {tag: number for (_, tag, _), number in trace.messages({"MPI_SEND", "MPI_ISEND"}, 0).items()}
    assert 1000 < sum(kept.values()) <= trace.calls(0)["MPI_Sendrecv"] < 6000
    assert kept[10] == 1000 and (kept[11] == 1000 or 12 not in kept), kept      # threads of one tag run one after the other


SHORT_THREADS = """
#include <mpi.h>
#include <pthread.h>
static void *work(void *unused)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return unused;
}
int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    return MPI_Finalize();
}
"""


def test_limit_counts_what_ended_threads_have_recorded(mpich):
    """A journal starts with 64 KB; those of 200 threads have a few hundred bytes each."""
    program = mpich.program(SHORT_THREADS, "-pthread", name="threads200.c")
    result = mpich.mpiexec(1, program, tools="trace(out=short,limit=1,formats=otf2)")
    assert (result.status, result.err) == (0, ""), result
    assert Trace(mpich, "short").calls(0)["MPI_Comm_rank"] == 200


SITES = """
#include <mpi.h>
#define TEN(x) x x x x x x x x x x
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    TEN(TEN(TEN(TEN(MPI_Comm_rank(MPI_COMM_WORLD, &rank);))))
    return MPI_Finalize();
}
"""


def test_call_sites_beyond_the_limit_are_left_out(mpich):
    """The limit is reached where a call site is defined; the call itself still fits."""
    program = mpich.program(SITES, "-O0", name="sites10000.c")
    result = mpich.mpiexec(2, program, tools="trace(out=sites,limit=1,formats=json+html)")
    assert result.status == 0 and "the limit of 1 MB is reached" in result.err, result
    events = mpich.load("sites.json")["traceEvents"]
    assert 0 < len([event for event in events if event["name"] == "MPI_Comm_rank"]) < 2 * 10000 and (mpich.work / "sites.html").exists()


AFTER_THE_LIMIT = """
#include <mpi.h>
#include <pthread.h>
static pthread_barrier_t barrier;
static void *work(void *unused)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return unused;
}
int main(int argc, char **argv)
{
    int level, flag;
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 100000; i++)
        MPI_Initialized(&flag);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    return MPI_Finalize();
}
"""


def test_limit_ends_the_recording_of_all_threads(mpich):
    """The journal of the second thread has room for its last call, which comes when the first one has reached the limit."""
    program = mpich.program(AFTER_THE_LIMIT, "-pthread", name="after_limit.c")
    result = mpich.mpiexec(1, program, tools="trace(out=after,limit=1,formats=otf2)")
    assert result.status == 0 and "the limit of 1 MB is reached" in result.err, result
    calls = Trace(mpich, "after").calls(0)
    assert calls["MPI_Comm_rank"] == 1 and 0 < calls["MPI_Initialized"] < 100000 and not calls["MPI_Comm_size"], calls


def test_missing_folder_is_one_message_and_no_harm(mpich, run):
    (mpich.work / "file").write_text("")
    result = run("trace(out=file/name)", "world")
    assert result.status == 0 and result.err.count("\n") == 1 and "file/name" in result.err, result


def test_full_disk_keeps_the_journals_until_there_is_room(mpich, run, finish, small_disk):
    folder = small_disk("600k")
    result = run("trace(out=small/name)", "threads")
    assert result.status == 0 and "No space left on device" in result.err and "qmpi_report otf2" in result.err, result
    assert not list(folder.glob("*.html*"))
    mpich.run("mount", "-o", "remount,size=100m", folder)
    finished = finish("small/name.unfinished")
    assert finished.status == 0, finished
    assert_form(Trace(mpich, "small/name"))


# ---- clocks ----

SHIFT = 1000        # seconds


@pytest.fixture(scope="module")
def shifted(mpich_module, messages_program):
    """Archive and JSON of two ranks whose clocks differ."""
    inside = ["unshare", "--time", "--monotonic", SHIFT]
    if mpich_module.run(*inside, "true").status != 0:
        pytest.skip("this system has no time namespaces")
    result = mpich_module.run("mpiexec", "-genv", "MPIR_CVAR_QMPI_TOOL_LIST", "trace(out=shifted,formats=otf2+json)",
                              "-genv", "LD_PRELOAD", mpich_module.nap(),
                              "-n", 1, messages_program, ":", "-n", 1, *inside, messages_program)
    assert result.status == 0, result
    return Trace(mpich_module, "shifted"), Chrome(mpich_module.work / "shifted.json")


def test_clocks_that_differ_become_one(shifted):
    times = [time for _, _, time, _ in shifted[0].events]
    assert_form(shifted[0])
    assert max(times) - min(times) < SHIFT * 1e9 / 2


def test_json_of_clocks_that_differ_is_that_of_the_archive(shifted):
    trace, chrome = shifted
    assert_chrome(chrome, trace, 2, inexact=10_000_000)
    assert_chrome_messages(chrome, trace, inexact=10_000_000)


def test_clock_is_measured_twice_when_the_limit_is_reached(mpich):
    """The journal that has no room for a call still has it for the clock."""
    program = mpich.program(AFTER_THE_LIMIT, "-pthread", name="after_limit.c")
    result = mpich.mpiexec(2, program, tools="trace(out=clock,limit=1,clock=process,formats=otf2)")
    assert result.err.count("the limit of 1 MB is reached") == 2, result
    print_offsets = mpich.run("otf2-print", "-C", "clock.otf2/traces.otf2")
    offsets = collections.Counter(re.findall(r"^CLOCK_OFFSET +(\d+)", print_offsets.out, re.MULTILINE))
    assert set(offsets.values()) == {2}, print_offsets


# ---- programs ----

@pytest.fixture(scope="module")
def fortran(mpich_module):
    mpich_module.mpiexec(3, mpich_module.program(HERE / "fortran.F90"), tools="trace(out=fortran)")
    return Trace(mpich_module, "fortran")


def test_fortran_program_has_its_calls_and_messages(fortran):
    assert_form(fortran)
    assert fortran.calls(2) == {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Irecv": 10, "MPI_Isend": 10,
                                "MPI_Waitall": 10, "MPI_Allreduce": 10, "MPI_Finalize": 1}
    assert fortran.messages({"MPI_IRECV"}, 2) == {(1, i, 8 * i): 1 for i in range(1, 11)}


def test_fortran_program_has_its_call_sites(fortran):
    assert {re.sub(r":\d+", "", site) for site in fortran.sites} == {"fortran (fortran.F90)"}


@pytest.fixture(scope="module")
def halo(mpich_module):
    """The solver's program."""
    return mpich_module.program(HALO, "-O2", "-lm")


def test_solver_has_the_same_result_and_as_many_receives_as_sends(mpich, halo):
    alone = mpich.mpiexec(4, halo, "-n", 24)
    result = mpich.mpiexec(4, halo, "-n", 24, tools="trace(out=halo)")
    checksum = re.compile("checksum.*")
    assert checksum.findall(result.out) == checksum.findall(alone.out) != [], result
    trace = Trace(mpich, "halo")
    assert_form(trace)
    sent, received = (sum(sum(trace.messages(kinds, rank).values()) for rank in range(4))
                      for kinds in ({"MPI_SEND", "MPI_ISEND"}, {"MPI_RECV", "MPI_IRECV"}))
    assert sent == received > 0


def test_every_send_of_netpipe_has_its_receive(mpich, real_program):
    ranks, command, variables = real_program(mpich, "netpipe", netpipe=("-u", "100", "-n", "10"))
    result = mpich.mpiexec(ranks, *command, tools="trace(out=netpipe)", **variables)
    assert result.status == 0, result
    trace = Trace(mpich, "netpipe")
    assert_form(trace)
    for rank in range(2):
        sent = trace.messages({"MPI_SEND", "MPI_ISEND"}, rank)
        assert sum(sent.values()) > 50
        assert trace.messages({"MPI_RECV", "MPI_IRECV"}, 1 - rank) == {(rank, *key[1:]): number for key, number in sent.items()}


def test_file_access_of_hdf5_is_in_the_trace(mpich, real_program):
    _, command, variables = real_program(mpich, "hdf5", source=HERE / "hdf5.c")
    result = mpich.mpiexec(2, *command, tools="trace(out=hdf5)", **variables)
    assert result.out == "0 wrong\n", result
    trace = Trace(mpich, "hdf5")
    assert_form(trace)
    assert {"MPI_File_open", "MPI_File_write_at_all", "MPI_File_read_at_all", "MPI_File_close"} <= set(trace.calls(0))


@pytest.mark.parametrize("name", ["messages", "halo"])
def test_trace_has_the_calls_and_bytes_of_profile(mpich, messages_program, halo, name):
    program = [messages_program] if name == "messages" else [halo, "-n", 24]
    result = mpich.mpiexec(4, *program, tools="trace(out=beside),profile(out=beside_profile.json)")
    assert result.status == 0, result
    trace = Trace(mpich, "beside")
    found = mpich.load("beside_profile.json")["functions"]
    assert sum((trace.calls(rank) for rank in range(4)), collections.Counter()) == {one["name"]: one["calls"] for one in found}
    if name == "halo":      # messages has operations that trace has at MPI_Start
        assert trace.bytes_sent() == {one["name"]: one["sent_bytes"] for one in found if one["sent_bytes"]}
