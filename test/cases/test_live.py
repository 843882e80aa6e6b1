# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tools profile and trace in jobs that hang, are killed, or have threads: calls in progress, shares, journals."""

import collections
import json
import re
import time
from datetime import datetime
from pathlib import Path

import pytest

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = Path(__file__).resolve().parent
HUNG = HERE / "reports/hung.c"
RANKS = 2
TOLERANCE = 1e-6


def line_of(source, mark):
    """Number of the line with the comment."""
    return next(i for i, text in enumerate(source.read_text().splitlines(), 1) if f"/* {mark} */" in text)


def site(path):
    return f"{Path(path[0]['file']).name}:{path[0]['line']}"


def of_name(lines, name):
    return next(line for line in lines if line["name"] == name)


@pytest.fixture
def hang(mpich):
    """Run hung.c under tools, run commands when all processes are where they stay, and kill them."""
    def hang(how, tools, commands, after=""):
        script = f"""
            mpiexec -n {RANKS} -genv LD_PRELOAD "$1" -genv MPIR_CVAR_QMPI_TOOL_LIST "$2" "$3" "$4" & job=$!
            until [ $(ls ready.* 2> /dev/null | wc -l) = {RANKS} ]; do sleep 0.05; done
            sleep 0.5
            {commands}
            kill -KILL $(pgrep -P $(pgrep -P $job))
            wait $job
            {after}
            true"""
        program = mpich.program(HUNG, "-pthread")
        result = mpich.run("sh", "-c", script, "sh", mpich.nap(), tools, program, how, seconds=60)
        assert result.status == 0 and "qmpi_report:" not in result.err, result
        return result
    return hang


@pytest.fixture
def valid(mpich):
    """The report, which has the form of the schema."""
    if not jsonschema:
        pytest.fail("this test needs the Python module jsonschema (package python3-jsonschema)", pytrace=False)
    validator = jsonschema.Draft202012Validator(json.loads((mpich.prefix / "share/mpich/qmpi-report.schema.json").read_text()))

    def valid(name):
        report = mpich.load(name)
        assert [error.message for error in validator.iter_errors(report)] == []
        return report
    return valid


# ---- profile of a job that hangs ----

def assert_no_share_above_all(report):
    assert all(task["mpi_s"] <= task["application_s"] * max(task["threads"], 1) + TOLERANCE for task in report["tasks"])
    assert all(line[name] <= 100 for line in report["functions"] for name in ("application_percent", "mpi_percent"))


PROFILES = "qmpi_report json -o {0}.json g.records; qmpi_report show g.records > {0}.txt; qmpi_report html -o {0}.html g.records"


@pytest.mark.parametrize("moment", ["running", "killed"])
def test_profile_has_the_call_in_progress(mpich, hang, valid, moment):
    """A process that waits in its sixth call: the call has its own time and site in all reports, and no share is above 100 %."""
    hang("late", "profile(out=g)", PROFILES.format("running"), PROFILES.format("killed"))
    report = valid(f"{moment}.json")
    waiting, sleeping = report["tasks"]
    [call] = waiting["current_calls"]
    assert (call["thread"], call["function"], site(call["path"])) == (0, "MPI_Allreduce", f"hung.c:{line_of(HUNG, 'late')}")
    assert sleeping["current_calls"] == [] and re.fullmatch(r"\d{4}-.*", call["since"])
    assert_no_share_above_all(report)
    sites = [line for line in report["sites"] if line["function"] == "MPI_Allreduce"]    # the compiler may copy the call
    function = of_name(report["functions"], "MPI_Allreduce")
    assert (function["calls"], function["timed_calls"], sum(line["calls"] for line in sites)) == (11, 10, 11)
    assert waiting["functions_s"]["MPI_Allreduce"] + sleeping["functions_s"]["MPI_Allreduce"] == pytest.approx(
        sum(line["time_s"] for line in sites))
    if moment == "running":
        assert 0.4 * waiting["application_s"] > call["time_s"] > 0.2 * waiting["application_s"]
        assert max(line["call_time_s"]["max"] for line in sites) == pytest.approx(max(call["time_s"], 0.2), rel=0.5)
        assert sleeping["application_s"] == pytest.approx(waiting["application_s"], rel=0.1)
    text = (mpich.work / f"{moment}.txt").read_text()
    shown = f"{call['time_s']:.6f}" if moment == "killed" else r"\d+\.\d{6}"
    state = "running" if moment == "running" else "ended"
    assert re.search(rf"^ +0 +0 MPI_Allreduce +{shown} {call['since'][:10]}.* {state} .*hung.c:", text, re.M), text
    assert float(re.search(r"^ +all .* ([\d.]+)  $", text, re.M)[1]) <= 100
    assert '"Calls in progress"' in (mpich.work / f"{moment}.html").read_text()


@pytest.mark.parametrize("how, functions, marks", [
    ("first", ["MPI_Recv"], ["nobody"]), ("nested", ["MPI_Comm_free", "MPI_Recv"], ["nested", "nobody"]),
    ("finalize", ["MPI_Finalize"], ["finalize"]), ("thread", ["MPI_Recv"], ["nobody"])])
def test_profile_of_calls_in_progress_of_other_kinds(hang, valid, how, functions, marks):
    """The first call of a process, a call in a callback of another one, MPI_Finalize, and a call since before a reset."""
    hang(how, "profile(out=g)", "qmpi_report json -o first.json g.records; sleep 0.5; qmpi_report json -o second.json g.records")
    calls = [valid(f"{name}.json")["tasks"][0]["current_calls"] for name in ("first", "second")]
    for found in calls:
        assert [call["function"] for call in found] == functions
        assert [site(call["path"]) for call in found] == [f"hung.c:{line_of(HUNG, mark)}" for mark in marks]
        assert {call["thread"] for call in found} == {int(how == "thread")}
    assert all(0 < early["time_s"] < late["time_s"] and early["since"] == late["since"] for early, late in zip(*calls))
    report = valid("second.json")
    assert_no_share_above_all(report)
    counted = {"nested": "MPI_Comm_free", "first": "MPI_Recv"}.get(how)
    if counted:
        assert report["tasks"][0]["mpi_s"] == pytest.approx(calls[1][0]["time_s"], rel=0.2)
        assert report["tasks"][0]["functions_s"][counted] >= calls[1][0]["time_s"]


def test_profile_of_a_sampled_call_in_progress(hang, valid):
    """A call that is not timed has no time and no site."""
    hang("late", "profile(out=g,sample=4)", "qmpi_report json -o live.json g.records")
    report = valid("live.json")
    assert report["tasks"][0]["current_calls"] == [
        {"thread": 0, "function": "MPI_Allreduce", "path": [], "since": None, "time_s": None}]
    assert_no_share_above_all(report)


def test_records_of_a_working_job_are_read_again_and_again(mpich):
    """While the processes make calls, each report is consistent: no share above 100 %, no call longer than the job."""
    script = f"""
        mpiexec -n {RANKS} -genv LD_PRELOAD "$1" -genv MPIR_CVAR_QMPI_TOOL_LIST "profile(out=g)" "$2" forever & job=$!
        until [ $(ls known.* 2> /dev/null | wc -l) = {RANKS} ]; do sleep 0.05; done
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do qmpi_report json -o live.$i.json g.records; done
        kill -TERM $job
        wait $job
        true"""
    result = mpich.run("sh", "-c", script, "sh", mpich.nap(), mpich.program(HERE.parent / "common/job_ends.c"), seconds=60)
    reports = [mpich.load(path.name) for path in mpich.work.glob("live.*.json")]
    assert len(reports) == 20, result
    for report in reports:
        assert_no_share_above_all(report)
        for task in report["tasks"]:
            assert all(call["time_s"] <= task["application_s"] for call in task["current_calls"])


# ---- profile of jobs that end well ----

def test_profile_of_threads_has_no_share_above_all(mpich):
    """Four threads wait at the same time: MPI time is their sum, and its share is that of the time of all threads."""
    result = mpich.mpiexec(RANKS, mpich.program(HERE / "reports/busy_threads.c", "-pthread"), tools="profile(out=g)")
    report = mpich.load("g.json")
    task, single = report["tasks"]
    assert result.status == 0 and task["threads"] == 5 and "current_calls" not in task, result
    assert task["mpi_s"] > 2 * task["application_s"]
    assert_no_share_above_all(report)
    assert of_name(report["functions"], "MPI_Recv")["application_percent"] == pytest.approx(
        100 * task["functions_s"]["MPI_Recv"] / (5 * task["application_s"] + single["application_s"]))
    text = (mpich.work / "g.txt").read_text()
    assert "MPI is the sum over the threads that called MPI" in text and "Calls in progress" not in text
    assert float(re.search(r"^ +all .* ([\d.]+)  $", text, re.M)[1]) <= 100


@pytest.mark.parametrize("where", ["main", "function"])
def test_profile_goes_on_after_a_longjmp(mpich, where):
    """MPI time has the calls after one that an error handler has left."""
    result = mpich.mpiexec(RANKS, mpich.program(HERE / "tools/longjmp.c"), where, tools="profile(out=g)")
    report = mpich.load("g.json")
    late = report["tasks"][1]
    assert result.status == 0 and not any(task.get("current_calls") for task in report["tasks"]), result
    assert late["functions_s"]["MPI_Recv"] == pytest.approx(of_name(report["functions"], "MPI_Recv")["time_s"])
    assert late["mpi_s"] >= late["functions_s"]["MPI_Recv"] > 0.5 * late["application_s"]


# ---- trace of a job that hangs ----

def calls_of(trace, rank):
    return [event for event in trace["traceEvents"] if event["ph"] == "X" and event["pid"] == rank]


def not_ended(trace):
    return [event for event in trace["traceEvents"] if event.get("args", {}).get("not ended")]


def end_of(event):
    return event["ts"] + event["dur"]


def test_trace_of_a_hanging_job(mpich, hang, valid):
    """The call in progress lasts until the trace is made, and is marked in each format."""
    make = "qmpi_report otf2 --otf2 --json --html --keep -o {0} g.unfinished 2> /dev/null; qmpi_report json -o {0}.calls.json g.unfinished"
    hang("first", "trace(out=g)", make.format("early") + "\nsleep 0.5\n" + make.format("late"))
    early, late = (not_ended(mpich.load(f"{name}.json")) for name in ("early", "late"))
    assert [(event["name"], event["pid"]) for event in early + late] == [("MPI_Recv", 0)] * 2
    assert late[0]["ts"] == early[0]["ts"] and late[0]["dur"] > early[0]["dur"] > 0
    report = valid("late.calls.json")
    [call] = report["current_calls"]
    assert (call["rank"], call["thread"], call["function"]) == (0, 0, "MPI_Recv") and "hung.c:" in call["site"]
    assert call["time_s"] == pytest.approx(of_name(report["functions"], "MPI_Recv")["time_s"])
    assert '"Calls in progress"' in (mpich.work / "late.html").read_text()
    marked = re.findall(r'^LEAVE +0 .*"MPI_Recv".*\n.*NOT_ENDED', mpich.run("otf2-print", "late.otf2/traces.otf2").out, re.M)
    assert len(marked) == 1


def test_trace_of_a_killed_job(mpich, hang):
    """The call in progress lasts until the last record of the job, which the other process has made."""
    hang("first", "trace(out=g)", "", "qmpi_report otf2 --json g.unfinished")
    trace = mpich.load("g.json")
    [call] = not_ended(trace)
    assert (call["name"], call["pid"]) == ("MPI_Recv", 0)
    assert end_of(call) == pytest.approx(max(map(end_of, calls_of(trace, 1))))
    assert call["dur"] > 0.5 * sum(event["dur"] for event in calls_of(trace, 1) if event["name"] == "MPI_Iprobe")


def test_trace_made_on_another_host_has_the_date_of_the_job(mpich, hang, needs):
    """qmpi_report runs where the monotonic clock is another one, as on another host or after a reboot."""
    needs("unshare", "otf2-print")
    other_host = ["unshare", "--fork", "--time", "--monotonic", "1000000"]
    if mpich.run(*other_host, "true").status != 0:
        pytest.skip("no namespaces of clocks here")
    before = time.time()
    hang("first", "trace(out=g)", "", " ".join(other_host) + " qmpi_report otf2 g.unfinished")
    definitions = mpich.run("otf2-print", "-G", "g.otf2/traces.otf2").out
    [(date, zone)] = re.findall(r"Date: (\S+ [\d:]+)\.\d+ ([+-]\d{4})", definitions)
    assert before - 1 < datetime.strptime(f"{date} {zone}", "%Y-%m-%d %H:%M:%S %z").timestamp() < time.time()


def test_trace_that_is_finished_has_no_mark(mpich):
    """Of a program that ends well."""
    result = mpich.mpiexec(RANKS, mpich.program(HERE.parent / "common/job_ends.c"), "finalize", tools="trace(out=g,formats=json)")
    trace = mpich.load("g.json")
    assert result.status == 0 and calls_of(trace, 0) and not not_ended(trace), result


LIMITED = """
#include "job_ends.h"
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100000; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return end_job("kill_all", rank, 1);
}
"""


def test_call_whose_end_is_beyond_the_limit_has_no_mark(mpich):
    """The journal is full: whether the last call has ended is unknown."""
    program = mpich.program(LIMITED, f"-I{HERE.parent / 'common'}", name="limited.c")
    mpich.mpiexec(1, program, tools="trace(out=g,limit=1)")
    result = mpich.run("qmpi_report", "otf2", "--json", "g.unfinished")
    trace = mpich.load("g.json")
    assert result.status == 0 and len(calls_of(trace, 0)) > 1000 and not not_ended(trace), result


# ---- trace and threads ----

@pytest.mark.parametrize("how", ["world", "session", "never"])
def test_trace_of_threads_that_call_mpi_while_it_is_initialized(mpich, how):
    """The program ends well, and the trace has all calls of the threads after that."""
    program = mpich.program(HERE / "tools/threads_in_init.c", "-pthread")
    for i in range(5):
        result = mpich.mpiexec(1, program, how, tools=f"trace(out=g{i},formats=json)", nap=False)
        assert (result.status, result.out, result.err) == (0, "ok\n", ""), result
        if how != "never":
            calls = collections.Counter((event["name"], event["tid"]) for event in calls_of(mpich.load(f"g{i}.json"), 0))
            assert sorted(number for (name, _), number in calls.items() if name == "MPI_Comm_rank") == [10] * 4
            assert not list(mpich.work.glob("*.unfinished"))


def test_short_threads_share_a_journal(mpich):
    """Threads that follow each other continue one journal, whose size is that of the calls."""
    result = mpich.mpiexec(1, mpich.program(HERE / "tools/short_threads.c", "-pthread"), 1000, tools="trace(out=g,formats=json)")
    calls = collections.Counter((event["name"], event["tid"]) for event in calls_of(mpich.load("g.json"), 0))
    assert (result.status, result.err) == (0, ""), result
    assert calls["MPI_Comm_rank", 1] == 1000 and {thread for _, thread in calls} == {0, 1}, calls
