# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tool messages: what moved between each two processes against what the programs work out themselves."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

from tables import rows as count_rows

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
ROOT = HERE.parents[1]


# ---- what a program expects, and what a report has ----

def expectations(output):
    """{phase: (kind, name, {(from, to): (messages, bytes)})} from a program's lines."""
    phases = {}
    for line in output.splitlines():
        words = line.split()
        if words[:1] == ["pattern"]:
            phases[int(words[1])] = (words[2], " ".join(words[3:]), {})
        elif words[:1] == ["expect"]:
            phase, origin, target, messages, content = map(int, words[1:])
            phases[phase][2][origin, target] = (messages, content)
    return phases


def rows(report):
    """The pairs of a JSON report, each as a dictionary."""
    return [dict(zip(report["pair_columns"], row)) for row in report["pairs"]]


def moved(report, side):
    """{(phase, kind): {(from, to): (messages, bytes)}} as one side has it."""
    found = defaultdict(dict)
    for row in rows(report):
        if row[f"{side}_messages"]:
            found[row["phase"], row["kind"]][row["from"], row["to"]] = (row[f"{side}_messages"], row[f"{side}_bytes"])
    return found


def sum_of_sides(report):
    """The same for one-sided operations, which either side may have started."""
    found = defaultdict(lambda: defaultdict(lambda: (0, 0)))
    for side in ("sent", "received"):
        for key, pairs in moved(report, side).items():
            for pair, (messages, content) in pairs.items():
                have = found[key][pair]
                found[key][pair] = (have[0] + messages, have[1] + content)
    return found


def bytes_of(report, function, side):
    """Bytes that all processes together moved by a function."""
    return sum(one[f"{side}_bytes"] for one in report["functions"] if one["function"] == function)


# ---- patterns ----

@pytest.fixture(scope="module", params=[("c", 4), ("c", 2), ("c", 5), ("fortran", 4), ("fortran", 3)],
                ids=lambda param: f"{param[0]}-{param[1]}")
def patterns(request, mpich_module):
    """Expectations and report of a program with many communication patterns."""
    language, ranks = request.param
    program = (mpich_module.program(COMMON / "patterns.c", COMMON / "expected_calls.c") if language == "c" else
               mpich_module.program(COMMON / "patterns.F90"))
    result = mpich_module.mpiexec(ranks, program, tools=f"messages(out={language}-{ranks}.json)")
    assert result.status == 0, result
    return expectations(result.out), mpich_module.load(f"{language}-{ranks}.json"), 70 if language == "c" else 30


def test_program_has_its_patterns(patterns):
    phases, _, least = patterns
    assert len(phases) >= least


def test_messages_of_every_pattern_are_those_of_the_program(patterns):
    """Kind, pairs, messages and bytes, on both sides. One-sided operations may be recorded on either."""
    phases, report, _ = patterns
    sent, received, both = moved(report, "sent"), moved(report, "received"), sum_of_sides(report)
    wrong = []
    for phase, (kind, name, expected) in phases.items():
        others = [other for number, other in both if number == phase and other != kind]
        if kind == "one-sided":
            is_right = dict(both.get((phase, kind), {})) == expected
        else:
            is_right = (sent.get((phase, kind), {}), received.get((phase, kind), {})) == (expected, expected)
        if not is_right or others:
            wrong.append((kind, name, expected, sent.get((phase, kind)), received.get((phase, kind)), others))
    assert not wrong


def test_patterns_receive_what_they_send(patterns):
    assert patterns[1]["differences"] == []


# ---- ends, threads ----

@pytest.fixture
def run(mpich):
    """Run ways.c under messages."""
    def run(arguments, way, ranks=2, **keywords):
        return mpich.mpiexec(ranks, mpich.program(COMMON / "ways.c", "-pthread"), way, tools=f"messages({arguments})", **keywords)
    return run


def test_message_that_nobody_received_is_shown(mpich, run):
    run("out=lost", "lost")
    report = mpich.load("lost.json")
    assert report["differences"] == [{"kind": "point-to-point", "from": 0, "to": 1, "sent_messages": 1, "sent_bytes": 4,
                                      "received_messages": 0, "received_bytes": 0}]
    assert "Sent and received messages differ" in (mpich.work / "lost.txt").read_text()


def test_receive_that_got_no_message_is_shown(mpich, run):
    run("out=lost", "lost")
    report = mpich.load("lost.json")
    assert {one["function"]: one["unfinished"] for one in report["functions"] if one["unfinished"]} == {"MPI_Irecv": 1}
    assert "MPI_Irecv: 1 not counted: never completed" in (mpich.work / "lost.txt").read_text()


def test_process_with_a_session_reports_alone(mpich, run):
    result = run("out=session", "session")
    reports = [mpich.load(path) for path in mpich.work.glob("session.*.json")]
    assert result.status == 0, result
    assert [(report["alone"], report["processes"]) for report in reports] == [(True, 1)] * 2
    assert sorted((row["from"], row["to"]) for report in reports for row in rows(report) if row["sent_messages"]) == [
        (0, 1), (1, 0)]


@pytest.mark.parametrize("way, options", [("exit", ["-disable-auto-cleanup"]), ("abort", [])])
def test_job_that_ends_without_mpi_finalize_leaves_its_messages(mpich, run, way, options):
    run(f"out={way}", way, options=options)
    report = mpich.report(f"{way}.records")
    assert (report["alone"], report["processes"], report["absent"]) == (False, 2, "")
    # rank 0 may abort before rank 1's MPI_Send has returned, which it counts then
    pairs = {(row["from"], row["to"]) for row in rows(report) if row["sent_messages"]}
    assert {(0, 1)} <= pairs <= {(0, 1), (1, 0)} if way == "abort" else pairs == {(0, 1), (1, 0)}


@pytest.mark.parametrize("side", ["sent", "received"])
def test_messages_of_four_threads_are_all_there(mpich, run, side):
    """One int before, then 200 messages of 1, 2, 3 and 4 ints by each thread."""
    run("out=threads", "threads")
    report = mpich.load("threads.json")
    assert dict(moved(report, side)[1, "point-to-point"]) == {(0, 1): (801, 4 + 8000), (1, 0): (801, 4 + 8000)}


# ---- arguments ----

@pytest.mark.parametrize("arguments, message", [
    ("top=-1", "argument top=-1: must be at least 0"), ("rows=0", "argument rows=0: must be from 1 to"),
    ("rows=2147483647", "argument rows=2147483647: must be from 1 to"), ("rows=few", "rows=few: must be a whole number"),
    ("functions=MPI_Sent", "MPI_Sent"), ("colour=red", "unknown argument 'colour'")])
def test_wrong_argument_is_refused(run, arguments, message):
    result = run(arguments, "none", 1)
    assert result.status == 1 and message in result.err, result


def test_report_is_printed_when_its_folder_is_missing(run):
    result = run("out=no/such/folder/x", "none")
    assert result.status == 0 and "cannot write no/such/folder/x" in result.err, result
    assert "Pairs with the most bytes" in result.err, result


def test_functions_restrict_the_report(mpich, run):
    run("out=only.json,functions=MPI_Barrier+rma", "none")
    report = mpich.load("only.json")
    assert (report["pairs"], report["compared"]) == ([], False)


@pytest.fixture
def blocks(mpich):
    mpich.mpiexec(4, mpich.program(COMMON / "ways.c", "-pthread"), "none", tools="messages(out=all),messages(out=blocks,rows=2)")


def test_rows_merge_ranks(mpich, blocks):
    """Four processes in two rows; the other instance has each of them."""
    assert {(row["from"], row["to"]): row["sent_bytes"] for row in rows(mpich.load("blocks.json"))} == {
        (0, 0): 4, (0, 1): 4, (1, 1): 4, (1, 0): 4}
    assert " 0-1 " in (mpich.work / "blocks.txt").read_text()
    assert len(mpich.load("all.json")["pairs"]) == 4


def test_page_loads_nothing(mpich, blocks):
    page = (mpich.work / "all.html").read_text()
    assert "<html" in page and not re.search(r"https?://(?!www\.w3\.org)", page)


# ---- real programs ----

@pytest.fixture(scope="module")
def solver(mpich_module):
    """Two runs of the solver: plain, and with instances above and below bcast."""
    program = mpich_module.program(ROOT / "examples/qmpi/halo.c", "-O2", "-lm")
    plain = mpich_module.mpiexec(4, program, "-n", 32, "-s", 40)
    result = mpich_module.mpiexec(4, program, "-n", 32, "-s", 40, tools="messages(out=up),bcast,messages(out=down),count")
    return plain, result, mpich_module.load("up.json"), mpich_module.load("down.json")


def test_solver_computes_the_same(solver):
    plain, result = ([line for line in run.out.splitlines() if line.startswith(("residual", "checksum"))] for run in solver[:2])
    assert plain == result and len(plain) == 2


def test_solver_receives_what_it_sends(solver):
    assert [report["differences"] for report in solver[2:]] == [[], []]


@pytest.mark.parametrize("function", ["MPI_Isend", "MPI_Send"])
def test_solver_sends_the_bytes_that_count_has(solver, function):
    _, result, _, down = solver
    assert bytes_of(down, function, "sent") == count_rows(result.err, 1)[function].sent


def test_messages_below_bcast_carry_the_broadcasts(solver):
    _, _, up, down = solver
    assert bytes_of(down, "MPI_Send", "sent") == bytes_of(up, "MPI_Bcast", "sent") > 0 == bytes_of(down, "MPI_Bcast", "sent")


def test_solver_sends_to_its_neighbours_only(solver):
    assert set(moved(solver[2], "sent")[1, "point-to-point"]) == {(0, 1), (1, 0), (0, 2), (2, 0), (1, 3), (3, 1), (2, 3), (3, 2)}


def test_netpipe_sends_the_bytes_that_count_has(mpich, real_program):
    ranks, command, variables = real_program(mpich, "netpipe")
    result = mpich.mpiexec(ranks, *command, tools="messages(out=netpipe),count", **variables)
    report = mpich.load("netpipe.json")
    assert bytes_of(report, "MPI_Send", "sent") == count_rows(result.err, 1)["MPI_Send"].sent > 0
    assert report["differences"] == []


def test_messages_of_hdf5_all_arrive(mpich, real_program):
    ranks, command, variables = real_program(mpich, "hdf5")
    result = mpich.mpiexec(ranks, *command, tools="messages(out=hdf5)", **variables)
    report = mpich.load("hdf5.json")
    assert result.status == 0 and report["differences"] == [] and report["totals"], result
