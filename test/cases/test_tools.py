# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Tools do no harm: a program that ends well without tools ends well with them, and has the same result."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent / "tools"
TOOLS = ["check", "count", "messages", "profile", "trace"]
FOLLOWERS = ["count", "messages", "profile", "profile(communicators)", "trace"]


# ---- queries that could reach the program's error handlers ----

@pytest.mark.parametrize("kind", ["receive", "persistent", "bsend", "generalized"])
@pytest.mark.parametrize("tools", [*TOOLS, ",".join(TOOLS)])
def test_request_free_calls_nothing_of_the_program(mpich, tools, kind):
    """Freeing a request whose operation has failed calls no error handler and no query function."""
    result = mpich.mpiexec(2, mpich.program(HERE / "free_truncated.c"), kind, tools=tools, seconds=30)
    assert (result.status, result.out) == (0, "freed, 0 queries\n"), result


@pytest.mark.parametrize("kind", ["receive", "sendrecv", "send", "mprobe", "wait", "neighbors", "datatype"])
@pytest.mark.parametrize("tools", FOLLOWERS)
def test_objects_may_be_freed_while_a_call_uses_them(mpich, tools, kind):
    """A communicator or datatype that a thread frees stays usable for the call of another thread."""
    program = mpich.program(HERE / "free_in_use.c", "-pthread")
    result = mpich.mpiexec(2, program, kind, tools=tools, seconds=30)
    if result.status != 0 and mpich.mpiexec(2, program, kind, seconds=30).status != 0:
        pytest.skip("this release of MPICH fails without tools, too")
    assert (result.status, result.out) == (0, "received\nok\n"), result


def test_calls_on_freed_objects_are_counted(mpich):
    """The bytes of a send are those of its datatype, also if that was freed and its handle used again meanwhile."""
    program = mpich.program(HERE / "free_in_use.c", "-pthread")
    mpich.mpiexec(2, program, "datatype", tools="profile(communicators,out=p.json),messages(out=m.json)", seconds=30)
    functions = {line["name"]: line for line in mpich.load("p.json")["functions"]}
    assert (functions["MPI_Send"]["calls"], functions["MPI_Send"]["sent_bytes"]) == (2, 1000000)
    assert mpich.load("m.json")["totals"]["point-to-point"]["bytes"] == 1000000


# ---- limits ----

@pytest.mark.parametrize("tools", [*TOOLS, "count,profile,messages"])
def test_limited_address_space(mpich, tools):
    """With a limit on its address space the program has its result; each tool says once that its record is small."""
    program = mpich.program(HERE / "large_record.c")
    result = mpich.mpiexec(2, "sh", "-c", 'ulimit -v 600000; exec "$0"', program, tools=tools, nap=False, seconds=60)
    assert (result.status, result.out) == (0, "sum 3\n" * 2), result
    with_record = [tool for tool in tools.split(",") if tool != "trace"]
    assert len(re.findall("^QMPI tool .*address space is limited", result.err, re.M)) == len(with_record), result


def test_records_reserve_addresses_only(mpich):
    """Records are not committed before they are used: memory that counts against the limit on data stays small."""
    program = mpich.program(HERE / "large_record.c")
    result = mpich.mpiexec(2, "sh", "-c", 'ulimit -d 200000; exec "$0"', program, tools="count,profile,messages",
                           nap=False, seconds=60)
    assert (result.status, result.out) == (0, "sum 3\n" * 2), result
    assert "QMPI tool" not in result.err, result


# ---- fork ----

def wtimes(mpich, tool):
    """Calls of MPI_Wtime that the report has."""
    if tool == "count":
        return int(re.search(r"^MPI_Wtime +(\d+)", (mpich.work / "r.txt").read_text(), re.M)[1])
    if tool == "trace":
        names = [event.get("name") for event in mpich.load("r.json")["traceEvents"] if event.get("ph") in "BX"]
        return names.count("MPI_Wtime")
    return next(line["calls"] for line in mpich.load("r.json")["functions"] if line["name"] == "MPI_Wtime")


@pytest.mark.parametrize("end", ["_exit", "exit", "threads"])
@pytest.mark.parametrize("tool", ["count", "profile", "trace"])
def test_child_of_fork_is_not_in_the_report(mpich, tool, end):
    """A child of fork makes its calls, which are not in the report of its parent."""
    program = mpich.program(HERE / "fork.c", "-pthread")
    formats = "" if tool == "count" else ".json"
    result = mpich.mpiexec(1, program, end, tools=f"{tool}(out=r{formats})", seconds=60)
    assert (result.status, result.out, result.err) == (0, "ok\n", ""), result
    assert wtimes(mpich, tool) == 10


@pytest.mark.parametrize("end", ["_exit", "threads"])
@pytest.mark.parametrize("tool", ["check", "messages", ",".join(TOOLS)])
def test_child_of_fork_works(mpich, tool, end):
    """A child of fork may call the functions that MPI allows, under any tool."""
    result = mpich.mpiexec(1, mpich.program(HERE / "fork.c", "-pthread"), end, tools=tool, seconds=60)
    assert (result.status, result.out) == (0, "ok\n"), result


def test_mpi_may_begin_in_a_child(mpich):
    """A child that is made before MPI begins is a process like others."""
    result = mpich.run(mpich.program(HERE / "fork.c", "-pthread"), "before", MPIR_CVAR_QMPI_TOOL_LIST="count(out=r.txt)")
    assert (result.status, result.out, result.err) == (0, "ok\n", ""), result
    assert wtimes(mpich, "count") == 10


# ---- names of reports ----

NAMESPACE = ["unshare", "--fork", "--pid", "--mount-proc"]


@pytest.fixture
def same_number(mpich, needs):
    """Run a program with one process, which has always the same process number."""
    def same_number(*words, **variables):
        result = mpich.run(*NAMESPACE, mpich.program(HERE / "large_record.c"), *words, **variables)
        assert (result.status, result.out) == (0, "sum 1\n"), result
        return result
    needs("unshare")
    if mpich.run(*NAMESPACE, "true").status != 0:
        pytest.skip("no namespaces of process numbers here")
    return same_number


@pytest.mark.parametrize("tool, endings", [("profile", ["html", "json", "txt"]),
                                           ("messages", ["html", "json", "txt"]), ("check", ["html", "json", "txt"])])
def test_report_of_another_job_stays(mpich, same_number, tool, endings):
    """A process with the number of an earlier one writes its reports under another name."""
    for _ in range(3):
        same_number(MPIR_CVAR_QMPI_TOOL_LIST=tool)
    names = sorted(path.name for path in mpich.work.glob(f"large_record.{tool}.*"))
    number = names[0].split(".")[2].split("-")[0]
    assert names == sorted(f"large_record.{tool}.{number}{suffix}.{ending}" for suffix in ("", "-2", "-3") for ending in endings)


def test_trace_of_another_job_stays(mpich, same_number):
    """The same for traces."""
    for _ in range(2):
        same_number(MPIR_CVAR_QMPI_TOOL_LIST="trace(formats=json+html)")
    names = sorted(path.name for path in mpich.work.glob("large_record.trace.*"))
    assert len(names) == 4 and sum("-2." in name for name in names) == 2, names


def test_temporary_file_of_a_killed_writer_does_no_harm(mpich, same_number):
    """A report is written even if a writer with the same host and process number has left its temporary file."""
    same_number(MPIR_CVAR_QMPI_TOOL_LIST="count(out=r.txt)")
    before = (mpich.work / "r.txt").read_text()
    strace = mpich.run(*NAMESPACE, "sh", "-c", "echo $(uname -n)-$$; true")
    number = strace.out.strip()
    for process in range(1, 20):
        (mpich.work / f"r.txt.{number.rsplit('-', 1)[0]}-{process}~").write_text("left")
    (mpich.work / "r.txt").write_text("old")
    result = same_number(MPIR_CVAR_QMPI_TOOL_LIST="count(out=r.txt)")
    assert "cannot write" not in result.err, result
    assert (mpich.work / "r.txt").read_text().splitlines()[-1] == before.splitlines()[-1]


# ---- tools outside of this tree ----

OUTSIDE = r"""
#include <qmpi/reporting_tool.hpp>

struct Outside : qmpi::ReportingTool<Outside> {
    struct Options : qmpi::ReportOptions {
        explicit Options(const qmpi::arguments &given) : qmpi::ReportOptions(given, {qmpi::Format::text}) {}
    };
    struct State {
        void write(qmpi::Writer &) const {}
        void merge(qmpi::Reader &) {}
    };
    State state(bool) { return {}; }
    bool write(const State &, const qmpi::Reporter &) { return true; }
    ~Outside() { report_at_end(); }

    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call) { return call(); }

    const Options options_{arguments()};
    const qmpi::Destination destination_{*this, options_};
};
QMPI_TOOL("outside", Outside)
"""

LEAVE = """
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) { MPI_Init(&argc, &argv); exit(0); }
"""


def test_tool_outside_of_this_tree_gives_no_wrong_advice(mpich):
    """The message about the records of a tool that qmpi_report does not know does not name that command."""
    flags = mpich.run("pkg-config", "--cflags", "--libs", "qmpi", PKG_CONFIG_PATH=mpich.lib / "pkgconfig").out.split()
    tool = mpich.library(OUTSIDE, "-std=c++17", *flags, name="outside.cpp")
    program = mpich.program(LEAVE, name="leave.c")
    for tools, has_advice in ((str(tool), False), ("count", True)):
        result = mpich.mpiexec(1, program, tools=tools)
        message = re.search(r"^QMPI tool \w+: the program ended without MPI_Finalize; records are in \S+?(; .*)?$", result.err,
                            re.M)
        assert message and (message[1] is not None) == has_advice, result
