# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Folders of record files: on each host if the user says so, without room, without permission; and threads that are
in a call when the process exits."""

from pathlib import Path

import pytest

from job_ends import RANKS, ROUNDS, barriers

HERE = Path(__file__).resolve().parent
TOOLS = ["check", "count", "messages", "profile", "trace"]


@pytest.fixture
def hosts(mpich):
    """Run job_ends.c with a folder "local" that is another one for each rank, as on several hosts: host0, host1, ..."""
    (mpich.work / "local").mkdir()
    for rank in range(RANKS):
        (mpich.work / f"host{rank}").mkdir()
    script = """
        mount --bind host$PMI_RANK local || exit 77
        if [ $PMI_RANK = 1 ] && [ "$DISK" = full ]; then mount -t tmpfs -o size=16k none local || exit 77; fi
        if [ $PMI_RANK = 1 ] && [ "$DISK" = read-only ]; then mount -o remount,bind,ro local || exit 77; fi
        exec "$@"
        """
    if mpich.run("unshare", "-m", "sh", "-c", "mount --bind host0 local").status != 0:
        pytest.skip("this user cannot mount folders")

    def hosts(tool, end, **variables):
        entry = f"{tool}(out=r,records=local" + (",formats=json)" if tool == "trace" else ")")
        return mpich.mpiexec(RANKS, "unshare", "-m", "sh", "-c", script, "sh", mpich.program(HERE / "job_ends.c"), end,
                             tools=entry, seconds=60, **variables)
    return hosts


def folders_of(work):
    return sorted(work.glob("host*/*"))


@pytest.mark.parametrize("tool", TOOLS)
def test_records_of_several_hosts_make_one_report(mpich, hosts, tool):
    hosts(tool, "kill_all")
    folders = folders_of(mpich.work)
    assert [folder.parent.name for folder in folders] == [f"host{rank}" for rank in range(RANKS)]
    assert [len(list(folder.iterdir())) for folder in folders] == [1] * RANKS
    assert not list(mpich.work.glob("r*"))
    command = ("otf2", "--json", "-o", "whole") if tool == "trace" else ("json", "-o", "whole.json")
    result = mpich.run("qmpi_report", *command, *folders)
    assert result.status == 0, result
    report = mpich.load("whole.json")
    assert barriers(tool, report) == RANKS * ROUNDS and report.get("absent", "") == ""


@pytest.mark.parametrize("tool", TOOLS)
def test_nothing_is_left_on_the_hosts(mpich, hosts, tool):
    result = hosts(tool, "finalize")
    assert (result.status, folders_of(mpich.work)) == (0, []), result
    if tool != "count":
        assert barriers(tool, mpich.load("r.json")) == RANKS * ROUNDS


def test_records_of_one_host_are_a_part(mpich, hosts):
    hosts("profile", "kill_all")
    report = mpich.report(folders_of(mpich.work)[1])
    assert (report["absent"], barriers("profile", report)) == ("records of rank 0, rank 2", ROUNDS)


def test_records_of_different_runs_are_refused(mpich, hosts):
    hosts("profile", "kill_all")
    hosts("profile", "kill_all")
    result = mpich.run("qmpi_report", "show", *folders_of(mpich.work))
    assert result.status == 2 and "are of different runs" in result.err, result


# ---- no room, no permission ----

@pytest.mark.parametrize("disk, reason", [("full", "No space left on device"), ("read-only", "Read-only file system")])
@pytest.mark.parametrize("tool", TOOLS)
def test_one_message_names_a_folder_that_cannot_be_written(mpich, hosts, tool, disk, reason):
    """On one host: the program continues, and the report has all processes; a trace has those with journals."""
    result = hosts(tool, "finalize", DISK=disk)
    lines = [line for line in result.err.splitlines() if "cannot write" in line]
    assert result.status == 0 and len(lines) == 1 and f"{mpich.work}/local/" in lines[0], result
    assert reason in lines[0] and f"QMPI tool {tool}: " in lines[0]
    if tool != "count":
        ranks = RANKS - 1 if tool == "trace" else RANKS
        assert barriers(tool, mpich.load("r.json")) == ranks * ROUNDS
    assert folders_of(mpich.work) == []


@pytest.mark.parametrize("tool", TOOLS)
def test_one_message_if_the_name_is_a_file(mpich, tool):
    (mpich.work / "local").write_text("a file")
    result = mpich.mpiexec(RANKS, mpich.program(HERE / "job_ends.c"), "finalize", tools=f"{tool}(out=r,records=local)")
    lines = [line for line in result.err.splitlines() if "cannot write" in line]
    assert result.status == 0 and len(lines) == 1 and f"{mpich.work}/local/" in lines[0], result


@pytest.mark.parametrize("tool", TOOLS)
def test_empty_folder_name_is_refused(mpich, tool):
    result = mpich.mpiexec(1, mpich.program(HERE / "job_ends.c"), "finalize", tools=f"{tool}(records=)")
    assert result.status != 0 and "argument records=: needs a folder" in result.err, result


# ---- exit ----

@pytest.mark.parametrize("tool", TOOLS)
def test_thread_in_a_call_outlives_the_tool(mpich, tool):
    """The memory that the tool has freed, if any, has no more what it had. Without mpiexec, for which a process that
    ends without MPI_Finalize has the status 0 or 1, as it sees the end of the process or of its connection first."""
    result = mpich.run(mpich.program(HERE / "exit_in_call.c", "-pthread"),
                       MPIR_CVAR_QMPI_TOOL_LIST=f"{tool}(out=r)", MALLOC_PERTURB_="165")
    assert (result.status, result.out) == (0, "right\n"), result
