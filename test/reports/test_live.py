# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Reports of a job that is still running: qmpi_report reads the records of the live job, whose report has what the
program knows it did so far, and says that it runs."""

import json
import re
from pathlib import Path

import pytest

from job_ends import RANKS, barriers

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
TOOLS = ["check", "count", "messages", "profile", "trace"]
LIST = ",".join(f"{tool}(out={tool})" for tool in TOOLS)


def records_of(tool):
    return "trace.unfinished" if tool == "trace" else f"{tool}.records"


def show():
    """Shell commands: the reports in JSON and as text, and the files of the program before and after them."""
    lines = ["cat known.* > before"]
    for tool in TOOLS:
        lines += [f"qmpi_report json -o {tool}.live.json {records_of(tool)} || echo failed",
                  f"qmpi_report show {records_of(tool)} > {tool}.live.txt || echo failed"]
    return "\n".join([*lines, "cat known.* > after"])


@pytest.fixture(scope="module")
def live(mpich_module):
    """Run a program under all tools, run commands when all processes have written their file, and kill it."""
    def live(source, end, commands):
        mpich = mpich_module
        script = f"""
            rm -rf known.* *.records *.unfinished
            mpiexec -n {RANKS} -genv LD_PRELOAD "$1" -genv MPIR_CVAR_QMPI_TOOL_LIST "$2" "$3" "$4" & job=$!
            until [ $(ls known.* 2> /dev/null | wc -l) = {RANKS} ]; do sleep 0.05; done
            sleep 0.5
            {commands}
            kill -TERM $job
            wait $job
            true"""
        result = mpich.run("sh", "-c", script, "sh", mpich.nap(), LIST, mpich.program(COMMON / source), end, seconds=100)
        assert result.status == 0 and "failed" not in result.out and "qmpi_report:" not in result.err, result
        return result
    return live


@pytest.fixture(scope="module")
def working(mpich_module, live):
    """Reports of a job that makes calls all the time."""
    live("job_ends.c", "forever", show())
    return mpich_module.work


def rounds(work, name):
    return sum(map(int, (work / name).read_text().split()))


def report_of(work, tool):
    return json.loads((work / f"{tool}.live.json").read_text())


@pytest.mark.parametrize("tool", TOOLS)
def test_report_of_a_working_job_is_current(working, tool):
    """Calls lie between what the program had made before and after; each process is in one more call."""
    number = barriers(tool, report_of(working, tool))
    assert 0 < rounds(working, "before") <= number <= rounds(working, "after") + RANKS


@pytest.mark.parametrize("tool", TOOLS)
def test_report_says_that_the_job_runs(working, tool):
    assert report_of(working, tool)["records"] == {"running": list(range(RANKS))}
    assert report_of(working, tool)["absent"] == ""
    assert re.fullmatch(rf"{tool}.*, from records at \S+ \S+ \S+: still running",
                        (working / f"{tool}.live.txt").read_text().splitlines()[0])


def test_journals_of_a_running_job_stay(mpich_module, live):
    result = live("job_ends.c", "forever", "qmpi_report otf2 --json trace.unfinished 2> note")
    assert (mpich_module.work / "note").read_text() == "qmpi_report: the program is still running; the journals stay\n"
    assert len(list(mpich_module.work.glob("trace.unfinished/*.journal"))) == RANKS, result
    assert mpich_module.load("trace.json")["traceEvents"]


# ---- a job that hangs ----

@pytest.fixture(scope="module")
def hanging(mpich_module, live):
    """Reports of a job in which one process waits for a message that nobody sends."""
    live("wrong_ends.c", "wait", show())
    return mpich_module.work


@pytest.mark.parametrize("tool", TOOLS)
def test_report_of_a_hanging_job(hanging, tool):
    assert report_of(hanging, tool)["records"] == {"running": list(range(RANKS))}


def test_check_shows_where_each_process_is(hanging):
    line = next(i for i, text in enumerate((COMMON / "wrong_ends.c").read_text().splitlines(), 1) if "/* wait */" in text)
    call = {"function": "MPI_Recv", "site": f"wrong_ends.c:{line}"}
    assert [process["current_calls"] for process in report_of(hanging, "check")["tasks"]] == [[], [call], []]
    text = (hanging / "check.live.txt").read_text()
    assert f"\nrank 1: in MPI_Recv at wrong_ends.c:{line}\nrank 0, rank 2: outside MPI\n" in text, text


# ---- part of a job ----

def test_report_names_processes_that_have_ended(mpich):
    """Rank 0 is killed, and the others sleep."""
    script = """
        mpiexec -n 3 -genv LD_PRELOAD "$1" -genv MPIR_CVAR_QMPI_TOOL_LIST "check(out=r)" "$2" stay &
        until [ $(ls known.* | wc -l) = 3 ]; do sleep 0.05; done
        qmpi_report json -o live.json r.records
        qmpi_report show r.records
        kill -KILL $(cat process.1 process.2)
        wait"""
    result = mpich.run("sh", "-c", script, "sh", mpich.nap(), mpich.program(COMMON / "wrong_ends.c"), seconds=60)
    report = mpich.load("live.json")
    assert report["records"] == {"ended": [0], "running": [1, 2]}, result
    assert result.out.splitlines()[0].endswith(": still running: ranks 1-2; ended without MPI_Finalize: rank 0"), result
