# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Worlds: which processes of a job have a tool. In every one the program computes the same as without tools, ends in
time, and the report has the calls of exactly the processes that have the instance and names the others."""

import collections
import json
import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
BARRIERS, MESSAGES = 7, 5       # of worlds.c, for each process
TOOLS = ["check", "count", "messages", "profile", "trace"]
LIST = "MPIR_CVAR_QMPI_TOOL_LIST"


@pytest.fixture
def run(mpich):
    """Run worlds.c with a tool list, and other variables, for each block of ranks."""
    def run(*blocks, what=("world",), **variables):
        program = mpich.program(COMMON / "worlds.c")
        words = ["mpiexec", "-genv", "LD_PRELOAD", mpich.nap()]
        for i, (ranks, tools, *others) in enumerate(blocks):
            words += [":"] * (i > 0) + ["-n", ranks]
            if tools is not None:
                words += ["-env", LIST, tools]
            for name, value in others:
                words += ["-env", name, value]
            words += [program, *what]
        result = mpich.run(*words, seconds=60, **variables)
        ranks = sum(block[0] for block in blocks)
        lines = ["session right"] * ranks if what[0] == "session" else [f"rank {i} right" for i in range(ranks)]
        assert (result.status, sorted(result.out.splitlines())) == (0, lines), result
        return result
    return run


def arguments_of(tool):
    return {"trace": "out=r,formats=json", "check": "out=r"}.get(tool, "out=r,formats=json" if tool != "count" else "out=r.txt")


def report_of(work, tool, name="r"):
    """(number of calls of MPI_Barrier, or of findings; processes that are not in the report)"""
    if tool == "check":
        report = json.loads((work / f"{name}.json").read_text())
        return len(report["findings"]), report["absent"]
    if tool == "count":
        text = (work / f"{name}.txt").read_text()
        found = re.search(r"^MPI_Barrier +(\d+)", text, re.M)
        absent = re.search(r"; not in the report: (.*)", text)
        return int(found.group(1)), absent.group(1) if absent else ""
    report = json.loads((work / f"{name}.json").read_text())
    if tool == "profile":
        return next(line["calls"] for line in report["functions"] if line["name"] == "MPI_Barrier"), report["absent"]
    if tool == "messages":
        sent = next(line["sent_messages"] for line in report["functions"] if line["function"] == "MPI_Sendrecv")
        return sent * BARRIERS // MESSAGES, report["absent"]
    calls = collections.Counter(event["name"] for event in report["traceEvents"] if event["ph"] == "X")
    return calls["MPI_Barrier"], None


def assert_report(result, work, tool, ranks, absent, name="r"):
    """The report has the calls of `ranks` processes and names the others."""
    number, others = report_of(work, tool, name)
    if others is None:
        found = re.findall("not in the trace: (.*)", result.err)
        others = found[0] if found else ""
    assert (number, others) == (0 if tool == "check" else BARRIERS * ranks, absent), result


# ---- which processes have the tool ----

WORLDS = {
    "all": ([(4, "X")], 4, ""),
    "first alone": ([(1, "X"), (3, None)], 1, "ranks 1-3 (no tools)"),
    "all but the first": ([(1, None), (3, "X")], 3, "rank 0 (no tools)"),
    "first and last": ([(1, "X"), (2, None), (1, "X")], 2, "ranks 1-2 (no tools)"),
    "empty list": ([(2, "X"), (2, "")], 2, "ranks 2-3 (no tools)"),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("tool", TOOLS)
def test_processes_without_the_tool(mpich, run, tool, world):
    blocks, ranks, absent = WORLDS[world]
    entry = f"{tool}({arguments_of(tool)})"
    result = run(*((number, entry if tools == "X" else tools) for number, tools in blocks))
    assert_report(result, mpich.work, tool, ranks, absent)


@pytest.mark.parametrize("tool", TOOLS)
def test_processes_with_another_tool(mpich, run, tool):
    other = "count(out=other.txt)" if tool != "count" else "profile(out=other.json)"
    result = run((3, f"{tool}({arguments_of(tool)})"), (1, other))
    assert_report(result, mpich.work, tool, 3, "rank 3 (other tools)")


@pytest.mark.parametrize("first", TOOLS)
def test_other_order_on_one_rank(mpich, run, first):
    """All reports have all ranks, and none of the tools waits for another one."""
    entries = {tool: f"{tool}({arguments_of(tool)})".replace("out=r", f"out={tool}") for tool in TOOLS}
    order = [first] + [tool for tool in reversed(TOOLS) if tool != first]
    result = run((2, ",".join(entries.values())), (1, ",".join(entries[tool] for tool in order)),
                 (1, ",".join(entries.values())))
    for tool in TOOLS:
        assert_report(result, mpich.work, tool, 4, "", tool)


def test_other_arguments_make_another_report(mpich, run):
    """The processes of higher rank append it to the name."""
    result = run((1, "profile(out=r.json)"), (1, "profile(out=r.json,depth=2)"), (2, "profile(out=r.json)"))
    assert_report(result, mpich.work, "profile", 3, "rank 1 (other arguments)")
    assert_report(result, mpich.work, "profile", 1, "rank 0 (other arguments), ranks 2-3 (other arguments)", "r.rank1")


def test_first_instances_of_a_tool_belong_together(mpich, run):
    """The second instance is in two processes only."""
    result = run((2, "profile(out=r.json),profile(out=r.json)"), (2, "profile(out=r.json)"))
    assert_report(result, mpich.work, "profile", 4, "")
    assert_report(result, mpich.work, "profile", 2, "ranks 2-3 (other arguments)", "r-2")


def test_missing_library_on_one_rank(mpich, run):
    library = mpich.library(HERE / "world_tool.cpp", "-std=c++17", name="libqmpi_roll.so")
    path = ("MPIR_CVAR_QMPI_TOOL_PATH", library.parent)
    result = run((2, "roll,profile(out=r.json)", path), (1, "roll,profile(out=r.json)"), (1, "roll,profile(out=r.json)", path),
                 MPIR_CVAR_QMPI_ON_ERROR="warn")
    assert_report(result, mpich.work, "profile", 4, "")
    assert sorted(re.findall("rank (\\d) is number (\\d) of 3; absent: rank 2 .other tools.", result.err)) == [
        ("0", "0"), ("1", "1"), ("3", "2")], result


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool != "check"])
def test_sessions_only(mpich, run, tool):
    """Each process reports alone."""
    run((2, f"{tool}(out=r)"), what=("session",))
    if tool == "trace":
        assert len(list(mpich.work.glob("r.*.otf2"))) == 2
    else:
        reports = [path.read_text() for path in mpich.work.glob("r.*.txt")]
        assert len(reports) == 2 and all(re.search(r"MPI_Barrier +7\b" if tool != "messages" else r"MPI_Sendrecv", report)
                                         for report in reports)


@pytest.mark.parametrize("world", WORLDS)
def test_check_of_sessions_without_the_tool_in_some(mpich, run, world):
    """One report if rank 0 has the tool, else one of each process."""
    blocks, ranks, absent = WORLDS[world]
    result = run(*((number, "check(out=r)" if tools == "X" else tools) for number, tools in blocks), what=("session",))
    has_first = blocks[0][1] == "X"
    reports = {path.name: json.loads(path.read_text()) for path in mpich.work.glob("r.*json")}
    assert (reports.keys() == {"r.json"}) == has_first and len(reports) == (1 if has_first else ranks), result
    for report in reports.values():
        assert (report["findings"], len(report["tasks"])) == ([], ranks if has_first else 1), result
        assert report["absent"] == (absent if has_first else ""), result
        assert ("not_compared" in report) != has_first, result
    assert not list(mpich.work.glob("*.records")), result


def test_processes_of_a_session_end_before_the_first_one(mpich):
    """Rank 0, which analyses, ends when the shell of rank 1 says that its program has ended."""
    program = mpich.program(HERE / "sessions_early.c")
    result = mpich.mpiexec(2, "sh", "-c", f'{program} ended && [ $PMI_RANK = 0 ] || touch ended', tools="check(out=r)", seconds=60)
    assert (result.status, result.err, report_of(mpich.work, "check")) == (0, "", (0, "")), result


def test_processes_of_a_job_get_what_the_first_one_offers(mpich, run):
    library = mpich.library(HERE / "world_tool.cpp", "-std=c++17", name="libqmpi_roll.so")
    result = run((2, library), (1, None), (1, f"{library}(fails=9)"), (1, library), what=("session",))
    got = {int(rank): (offer, absent) for rank, offer, absent in re.findall(
        r'rank (\d) of the 5 of a job gets "(.*)"; absent: (.*)\.$', result.err, re.M)}
    assert got == {0: ("offer-to-5", "rank 2 (no tools), rank 3 (other arguments)"), 1: ("offer-to-5", ""), 3: ("", ""),
                   4: ("offer-to-5", "")}, result


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool != "check"])
def test_session_before_the_world(mpich, run, tool):
    """Nobody waits in MPI_Init for a process that begins with MPI_Session_init. Each reports alone."""
    result = run((2, f"{tool}({arguments_of(tool)})"), what=("crossed",))
    for name, other in (("r", 1), ("r.rank1", 0)):
        number, absent = report_of(mpich.work, tool, name)
        assert number == BARRIERS, result
        assert absent in (None, f"rank {other} (a session before MPI_Init)"), result


def test_check_of_sessions_before_the_world(mpich, run):
    result = run((2, "check(out=r)"), what=("crossed",))
    assert report_of(mpich.work, "check") == (0, ""), result


@pytest.mark.parametrize("tool", TOOLS)
def test_one_process_finalizes_after_its_tools_have_ended(run, tool):
    """The others do not wait for its part of the report."""
    result = run((2, f"{tool}(out=r)"), what=("late",))
    assert "not finalized" not in result.err, result


@pytest.mark.parametrize("tool", TOOLS)
def test_spawned_processes(mpich, spawned, tool):
    result = spawned(2, mpich.program(COMMON / "worlds.c"), "spawn", tools=f"{tool}({arguments_of(tool)})")
    assert result.out.count("right") == 4, result
    assert_report(result, mpich.work, tool, 2, "")


# ---- what the program does ----

@pytest.mark.parametrize("tool", TOOLS)
def test_program_that_has_used_all_communicators(mpich, run, tool):
    result = run((2, f"{tool}({arguments_of(tool)},leaks=no)" if tool == "check" else f"{tool}({arguments_of(tool)})"),
                 what=("exhausted",))
    assert_report(result, mpich.work, tool, 2, "")


@pytest.mark.parametrize("functions", ["point_to_point+completion+collective", "collective", "MPI_Barrier"])
def test_functions_of_trace_need_not_have_mpi_init(mpich, run, functions):
    result = run((2, f"trace(out=r,formats=json,functions={functions})"))
    assert_report(result, mpich.work, "trace", 2, "")


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("tool", TOOLS)
def test_paused_at_the_end(mpich, run, tool, ranks):
    """MPI_Pcontrol(0) of all processes or of one."""
    result = run((2, f"{tool}({arguments_of(tool)})"), what=("paused", ranks))
    assert_report(result, mpich.work, tool, 2, "")


# ---- the kit ----

@pytest.fixture
def roll(mpich, run):
    def roll(*blocks):
        library = mpich.library(HERE / "world_tool.cpp", "-std=c++17", name="libqmpi_roll.so")
        result = run(*blocks, MPIR_CVAR_QMPI_TOOL_PATH=library.parent)
        return sorted(line.removeprefix("roll: ") for line in result.err.splitlines() if line.startswith("roll"))
    return roll


@pytest.mark.parametrize("rank", range(3))
def test_step_that_one_process_leaves_is_left_by_all(roll, rank):
    assert [line for line in roll((3, f"roll(fails={rank})")) if "left" in line] == [
        f"rank {i} has left: no room" for i in range(3)]


def test_text_of_the_first_process_is_shared(roll):
    assert [line for line in roll((1, None), (3, "roll")) if "ends" in line] == [
        f"rank {i} ends with the text from rank 1" for i in (1, 2, 3)]


def test_spawned_processes_get_an_offer(mpich, spawned):
    library = mpich.library(HERE / "world_tool.cpp", "-std=c++17", name="libqmpi_roll.so")
    result = spawned(2, mpich.program(COMMON / "worlds.c"), "spawn", tools="roll", MPIR_CVAR_QMPI_TOOL_PATH=library.parent)
    lines = [line.removeprefix("roll: ") for line in result.err.splitlines() if line.startswith("roll")]
    assert '2 are spawned with "offer-to-spawned"' in lines and "rank 0 of it" in lines, result


@pytest.mark.parametrize("arguments, answer", [("", "yes")] + [(f"{step}={rank}", "no") for step, rank in [
    ("write", 1), ("write", 2), ("write", 4), ("merge", 0), ("merge", 2), ("merge", 4)]])
def test_merging_that_one_process_leaves_is_left_by_all(mpich, run, arguments, answer):
    library = mpich.library(HERE / "merge_tool.cpp", "-std=c++17", "-lqmpi", name="libqmpi_merge.so")
    result = run((6, f"merge({arguments})"), MPIR_CVAR_QMPI_TOOL_PATH=library.parent)
    lines = sorted(line for line in result.err.splitlines() if line.startswith("merge"))
    numbers = [int(line.rpartition(" ")[2]) for line in lines]
    assert [line.rpartition(",")[0] for line in lines] == [f"merge: rank {i}: {answer}" for i in range(6)], result
    assert answer == "no" or numbers == [6, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("without", [0, 8])
def test_reads_of_tool_lists_grow_with_the_processes_not_their_square(mpich, without):
    """In every round a process asks those of the next block, to the first with tools. mpiexec prints what it is asked."""
    ranks = 16
    program = mpich.program(COMMON / "worlds.c")
    blocks = ["-n", without, program, "world", ":"] * (without > 0)
    result = mpich.run("mpiexec", "-verbose", "-genv", "LD_PRELOAD", mpich.nap(), *blocks, "-n", ranks - without, "-env", LIST,
                       "count(out=many)", program, "world", seconds=60)
    reads = re.findall(r"got pmi command.*:(?: get\n|\n +cmd=get ).*key=qmpi-", result.out + result.err)
    assert result.status == 0 and ranks - without <= len(reads) <= 2 * ranks, (len(reads), result)


def test_thread_that_receives_anything_gets_no_message_of_the_library(mpich):
    """It receives from the moment at which MPI is initialized, while the processes exchange what tools they have."""
    program = mpich.program(HERE / "worlds_receive.c", "-pthread")
    for _ in range(10):
        result = mpich.mpiexec(2, program, tools="count(out=r)", seconds=60)
        assert (result.status, result.out) == (0, "got 42\n"), result
