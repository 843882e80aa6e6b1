# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""watch(hang=TIME): says by itself when a job hangs, and keeps silent in jobs that end well."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
HEAD = re.compile(r"QMPI tool watch: the job hangs: no rank has gone on for (\d+) s:\n")


def tool(mpich, hang, more=""):
    return f"watch(records={mpich.work},hang={hang}){more}"


@pytest.mark.parametrize("reason", ["ring", "collectives", "heads", "waitall", "callback"])
def test_job_that_hangs_is_ended(mpich, reason):
    result = mpich.mpiexec(3, mpich.program(HERE / "hangs.c", "-pthread"), reason, tools=tool(mpich, "1s:status=7"))
    assert result.status == 7 and len(HEAD.findall(result.err)) == 1, result
    assert re.search(r"^ranks? .* in MPI_\w+ \(hangs\.c:\d+, ", result.err, re.M), result


def test_stopped_rank(mpich):
    result = mpich.mpiexec(3, mpich.program(HERE / "hangs.c", "-pthread"), "stopped", tools=tool(mpich, "1s:abort"))
    assert result.status != 0 and "is stopped by a signal" in result.err, result


def test_messages_come_at_growing_intervals(mpich):
    result = mpich.run("sh", "-c", """timeout 8 mpiexec -n 2 -genv MPIR_CVAR_QMPI_TOOL_LIST "$1" "$2" ring""", "sh",
                       tool(mpich, "1s"), mpich.program(HERE / "hangs.c", "-pthread"))
    times = [int(time) for time in HEAD.findall(result.err)]
    assert len(times) in (2, 3) and all(later >= 2 * time for time, later in zip(times, times[1:])), result


def test_other_tools_report_when_the_job_is_ended(mpich):
    result = mpich.mpiexec(2, mpich.program(HERE / "hangs.c", "-pthread"), "ring", tools=tool(mpich, "1s:abort", ",count(out=a)"))
    assert result.status == 1 and "QMPI tool count: MPI_Abort was called; records are in " in result.err, result
    folder = re.search(r"records are in (\S+);", result.err)[1]
    assert re.search(r"^MPI_Recv +2 ", mpich.reported("show", folder), re.M)


@pytest.mark.parametrize("reason", ["compute", "rest", "computing_thread", "resting_thread", "poll", "end_slowly"])
def test_job_that_ends_well(mpich, reason):
    result = mpich.mpiexec(3, mpich.program(HERE / "slow.c", "-pthread"), reason, tools=tool(mpich, "1s:abort"))
    assert (result.status, result.err) == (0, ""), result


def test_rank_of_another_host(mpich):
    """Of the ranks elsewhere nothing is known."""
    result = mpich.mpiexec(2, mpich.program(HERE / "slow.c", "-pthread"), "compute", tools=tool(mpich, "1s:abort"), MPI_LOCALNRANKS=1)
    assert result.status == 0, result


@pytest.mark.parametrize("hang, message", [
    ("0s", "must be at least 1s"), ("soon", "must be a time, as 500ms, 10s or 2min"), ("60:stop", "after the time come :abort or :status=N"),
    ("60:status=x", "must be a whole number"),
])
def test_wrong_argument(mpich, hang, message):
    result = mpich.mpiexec(1, mpich.program(HERE / "slow.c", "-pthread"), "poll", tools=tool(mpich, hang))
    assert result.status != 0 and message in result.err, result
