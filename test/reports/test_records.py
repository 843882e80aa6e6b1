# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Folders of record files: on each host if the user says so, of several instances and runs, without room, without
permission, without locks; and threads that are in a call when the process exits."""

from pathlib import Path

import pytest

from job_ends import RANKS, ROUNDS, barriers

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
SOURCE = HERE.parents[1] / "src/tools"
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
        return mpich.mpiexec(RANKS, "unshare", "-m", "sh", "-c", script, "sh", mpich.program(COMMON / "job_ends.c"), end,
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


def test_different_runs_have_a_report_each(mpich, hosts):
    hosts("profile", "kill_all")
    hosts("profile", "kill_all")
    folders = folders_of(mpich.work)
    assert mpich.reported("show", *folders).count(", from records at ") == 2
    result = mpich.run("qmpi_report", "json", *folders)
    assert result.status == 2 and " has 2 reports " in result.err, result


# ---- instances and runs ----

def run_killed(mpich, *blocks):
    """Run job_ends.c with a tool list for each block of ranks, until all processes kill themselves."""
    for known in mpich.work.glob("known.*"):
        known.unlink()
    words = []
    for ranks, tools in blocks:
        words += [":", "-n", ranks, "-env", "MPIR_CVAR_QMPI_TOOL_LIST", tools, mpich.program(COMMON / "job_ends.c"), "kill_all"]
    mpich.run("mpiexec", "-genv", "LD_PRELOAD", mpich.nap(), *words[1:], seconds=60)


def test_other_tools_in_other_processes_do_not_divide_a_report(mpich):
    """profile is tool 2 of two processes, and tool 1 of the others."""
    run_killed(mpich, (2, "check(out=c),profile(out=p)"), (2, "profile(out=p)"))
    report = mpich.report("p.records")
    assert (report["absent"], barriers("profile", report)) == ("", 4 * ROUNDS)


def test_other_arguments_of_the_tool_do_not_divide_a_report(mpich):
    """profile(out=p) is instance 2 of two processes, and instance 1 of the others."""
    run_killed(mpich, (2, "profile(out=q),profile(out=p)"), (2, "profile(out=p)"))
    report = mpich.report("p.records")
    assert (report["absent"], barriers("profile", report)) == ("", 4 * ROUNDS)


def test_folders_of_processes_without_a_world_have_a_report_each(mpich):
    for _ in range(2):
        mpich.mpiexec(1, mpich.program(HERE / "session_ends.c"), "kill", tools="profile(out=r)")
    folders = sorted(mpich.work.glob("r.*.records"))
    assert len(folders) == 2 and mpich.reported("show", *folders).count(", from records at ") == 2


def test_records_of_one_process_in_different_runs_are_refused(mpich):
    """The first folder has been moved away, so that the second run has the same name."""
    run_killed(mpich, (2, "profile(out=r)"))
    (mpich.work / "r.records").rename(mpich.work / "moved")
    run_killed(mpich, (2, "profile(out=r)"))
    result = mpich.run("qmpi_report", "show", "moved", "r.records")
    assert result.status == 2 and "are of different runs" in result.err, result


# ---- no locks ----

@pytest.mark.parametrize("without", ["program", "qmpi_report"])
def test_journals_stay_if_the_program_may_run(mpich, without):
    """The program, or only the host of qmpi_report, cannot lock files."""
    preload = {who: mpich.library(HERE / "no_locks.c") if who == without else None for who in ("program", "qmpi_report")}
    mpich.mpiexec(RANKS, mpich.program(COMMON / "job_ends.c"), "kill_all", tools="trace(out=r)", LD_PRELOAD=preload["program"])
    result = mpich.run("qmpi_report", "otf2", "--json", "r.unfinished", LD_PRELOAD=preload["qmpi_report"])
    assert (result.status, result.err) == (
        0, "qmpi_report: the program may still be running (the file system has no locks); the journals stay\n"), result
    assert len(list(mpich.work.glob("r.unfinished/*.journal"))) == RANKS
    assert barriers("trace", mpich.load("r.json")) == RANKS * ROUNDS


# ---- no room, no permission ----

PATHS = """
#include <mpi.h>
#include <signal.h>

static __attribute__((noinline)) void walk(int level)
{
    if (level == 0)
        MPI_Barrier(MPI_COMM_SELF);
    else {
        walk(level - 1);
        walk(level - 1);
    }
    __asm__ volatile ("");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    walk(11);
    raise(SIGKILL);
}
"""


def test_report_names_processes_whose_record_has_no_room(mpich, small_disk):
    """2048 paths of 12 calls need more than the 256 KB of the first part of a record."""
    folder = small_disk("400k")
    result = mpich.mpiexec(1, mpich.program(PATHS, name="paths.c"), tools="profile(out=small/r,depth=12)")
    assert [line for line in result.err.splitlines() if line.startswith("QMPI")] == [
        f"QMPI tool profile: rank 0: cannot write {folder}/r.records/0.record: No space left on device; "
        "a report after a crash lacks later entries"], result
    assert mpich.report("small/r.records")["absent"] == "later entries of rank 0 (no room in the record)"


def test_one_message_has_the_size_of_a_full_record(mpich):
    program = mpich.program(HERE / "record_full.cpp", "-std=c++17", f"-I{SOURCE}", "-l:libqmpi.a", "-ldw")
    assert mpich.run(program).err == (
        "QMPI tool fill: the record is full (3 MB); a report after a crash lacks later entries\n")


def test_calls_of_threads_are_counted_while_the_record_is_opened(mpich):
    slow = mpich.library(HERE / "slow_mapping.c", "-ldl")
    result = mpich.mpiexec(1, mpich.program(HERE / "calls_in_init.c", "-pthread"), tools="check(out=r,formats=json)", LD_PRELOAD=slow)
    assert [task["calls"] for task in mpich.load("r.json")["tasks"]] == [int(result.out)]


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
    result = mpich.mpiexec(RANKS, mpich.program(COMMON / "job_ends.c"), "finalize", tools=f"{tool}(out=r,records=local)")
    lines = [line for line in result.err.splitlines() if "cannot write" in line]
    assert result.status == 0 and len(lines) == 1 and f"{mpich.work}/local/" in lines[0], result


@pytest.mark.parametrize("tool", TOOLS)
def test_empty_folder_name_is_refused(mpich, tool):
    result = mpich.mpiexec(1, mpich.program(COMMON / "job_ends.c"), "finalize", tools=f"{tool}(records=)")
    assert result.status != 0 and "argument records=: needs a folder" in result.err, result


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool != "check"])
def test_records_stay_if_the_report_cannot_be_written(mpich, tool):
    """The folder of the report is a file."""
    (mpich.work / "nowhere").touch()
    result = mpich.mpiexec(RANKS, mpich.program(COMMON / "job_ends.c"), "finalize", tools=f"{tool}(out=nowhere/r,records=local)")
    folder, = (mpich.work / "local").iterdir()
    assert result.status == 0 and result.err.count(f"; records are in {folder}; ") == 1, result
    if tool == "trace":
        mpich.reported("otf2", "--json", "-o", "whole", folder)
        report = mpich.load("whole.json")
    else:
        report = mpich.report(folder)
    assert report.get("absent", "") == "" and barriers(tool, report) == RANKS * ROUNDS


@pytest.mark.parametrize("tool", ["count", "messages", "profile"])
def test_record_of_a_process_alone_stays_if_its_report_cannot_be_written(mpich, tool):
    result = mpich.mpiexec(1, mpich.program(HERE / "session_ends.c"), "finalize", tools=f"{tool}(out=nowhere/r,records=local)")
    folder, = (mpich.work / "local").iterdir()
    assert result.status == 0 and result.err.count(f"; records are in {folder}; ") == 1, result
    assert barriers(tool, mpich.report(folder)) == ROUNDS


# ---- exit ----

def test_no_record_is_in_use_after_mpi_finalize(mpich):
    """NFS would keep such a file, and so its folder, until the process ends."""
    tools = ",".join(f"{tool}(out={tool})" for tool in TOOLS if tool != "trace")
    result = mpich.mpiexec(2, mpich.program(HERE / "files_in_use.c"), tools=tools)
    assert (result.status, result.out, list(mpich.work.glob("*.records"))) == (0, "", []), result



@pytest.mark.parametrize("tool", TOOLS)
def test_thread_in_a_call_outlives_the_tool(mpich, tool):
    """The memory that the tool has freed, if any, has no more what it had. Without mpiexec, for which a process that
    ends without MPI_Finalize has the status 0 or 1, as it sees the end of the process or of its connection first."""
    result = mpich.run(mpich.program(HERE / "exit_in_call.c", "-pthread"),
                       MPIR_CVAR_QMPI_TOOL_LIST=f"{tool}(out=r)", MALLOC_PERTURB_="165")
    assert (result.status, result.out) == (0, "right\n"), result
