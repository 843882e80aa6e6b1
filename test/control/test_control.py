# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""qmpi_ctl and the tool control: instances of a running job are shown, woken, and put to sleep."""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from conftest import clean_environment

HERE = Path(__file__).resolve().parent
RANKS = 2


class Job:
    """A program that waits for a file before each round of calls (loop.c)."""

    def __init__(self, mpich, tools, rounds, runtime=""):
        self.mpich = mpich
        self.round = -1
        folder = mpich.work / runtime
        folder.mkdir(parents=True, exist_ok=True)
        self.variables = {"XDG_RUNTIME_DIR": str(folder), "TMPDIR": str(mpich.work)}
        self.process = subprocess.Popen(
            [mpich.bin / "mpiexec", "-n", str(RANKS), "-genv", "MPIR_CVAR_QMPI_TOOL_LIST", tools, mpich.program(HERE / "loop.c"), str(rounds)],
            cwd=mpich.work, env={**clean_environment(), **self.variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.wait()

    def wait(self):
        """Until all processes wait before the next round."""
        self.round += 1
        end = time.monotonic() + 60
        while len(list(self.mpich.work.glob(f"at.*.{self.round}"))) < RANKS:
            assert time.monotonic() < end and self.process.poll() is None, self.process.communicate(timeout=5)
            time.sleep(0.01)

    def go(self, is_last=False):
        """Runs a round."""
        (self.mpich.work / f"go.{self.round}").touch()
        if not is_last:
            self.wait()

    def end(self):
        self.go(is_last=True)
        out, err = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, (out, err)
        return err

    def ctl(self, *words):
        return self.mpich.run("qmpi_ctl", self.process.pid, *words, **self.variables)


@pytest.fixture
def job(mpich):
    jobs = []

    def job(tools, rounds=1, **keywords):
        jobs.append(Job(mpich, tools, rounds, **keywords))
        return jobs[-1]
    yield job
    for one in jobs:
        one.process.kill()


def calls(report, name="MPI_Comm_size"):
    return int((re.search(rf"^{name} +([\d,]+) ", report, re.M) or [0, "0"])[1].replace(",", ""))


def test_status(job):
    one = job("count(asleep,out=a),null,control")
    result = one.ctl("status")
    one.end()
    assert result.status == 0 and result.err == "", result
    lines = [line.split(maxsplit=3) for line in result.out.splitlines()]
    assert lines[0] == ["1", "asleep", "count(asleep,out=a)", "all 2 processes"]
    assert lines[1][:3] == ["2", "awake*", "null"] and lines[2][:3] == ["3", "awake*", "control"]


def test_rounds_count_while_awake(mpich, job):
    """Of four rounds the tool sleeps in the first and the third."""
    one = job("count(asleep,out=a),control", rounds=4)
    one.go()
    assert one.ctl("wake", "count").status == 0
    one.go()
    assert one.ctl("sleep").status == 0
    one.go()
    assert one.ctl("wake", "1").status == 0
    one.end()
    assert calls((mpich.work / "a.txt").read_text()) == 2 * 1000 * RANKS


def test_other_tool_is_awake(mpich, job):
    """Calls reach the sleeping instance, which passes them on."""
    one = job("count(asleep,out=a),count(out=b),control")
    one.end()
    assert calls((mpich.work / "a.txt").read_text()) == 0
    assert calls((mpich.work / "b.txt").read_text()) == 1000 * RANKS


def test_profile_sleeps(mpich, job):
    one = job("profile(asleep,out=a),control", rounds=2)
    one.go()
    assert one.ctl("wake").status == 0
    one.end()
    functions = {line["name"]: line["calls"] for line in mpich.load("a.json")["functions"]}
    assert functions["MPI_Comm_size"] == 1000 * RANKS


def test_one_process_of_the_job(mpich, job):
    one = job("count(asleep,out=a),control")
    rank_1 = next(int(path.name) for path in (mpich.work / "qmpi").iterdir() if "rank 1" in mpich.run(
        "qmpi_ctl", path.name, "status", **one.variables).out)
    assert mpich.run("qmpi_ctl", rank_1, "wake", **one.variables).status == 0
    result = one.ctl("status")
    one.end()
    assert "asleep  count(asleep,out=a)      rank 0\n" in result.out and "awake   count(asleep,out=a)      rank 1\n" in result.out, result
    assert calls((mpich.work / "a.txt").read_text()) == 1000


def test_folder_longer_than_an_address(job):
    """The address of a socket has room for 107 characters."""
    one = job("count(asleep,out=a),control", runtime="x" * 100 + "/" + "y" * 100)
    result = one.ctl("status")
    one.end()
    assert result.status == 0 and result.out.startswith("  1  asleep"), result


def test_instance_that_cannot_sleep(job):
    one = job("check(out=-),control")
    result = one.ctl("sleep", "check")
    one.end()
    assert result.status == 1 and "rank 0: instance 1, check(out=-), cannot sleep" in result.err, result


@pytest.mark.parametrize("words, message", [
    (["wake"], "no instance of the job can sleep"),
    (["wake", "profile"], "the job has no such instance"),
])
def test_no_such_instance(job, words, message):
    one = job("null,control")
    result = one.ctl(*words)
    one.end()
    assert result.status == 2 and message in result.err, result


def test_job_without_the_tool(mpich, job):
    one = job("null")
    result = one.ctl("status")
    one.end()
    assert result.status == 2 and f"no process of job {one.process.pid} on this host has the tool 'control'" in result.err, result


@pytest.mark.parametrize("words", [[], ["0", "status"], ["x", "status"], ["1", "stop"], ["1"]])
def test_wrong_arguments(mpich, words):
    result = mpich.run("qmpi_ctl", *words)
    assert result.status == 2 and result.err + result.out, result


def test_tool_that_cannot_sleep_refuses_the_argument(mpich):
    result = mpich.mpiexec(1, mpich.program(HERE / "loop.c"), "0", tools="messages(asleep)")
    assert result.status != 0 and "asleep" in result.err, result


def test_socket_is_gone_after_a_good_end(mpich, job):
    job("control").end()
    assert list((mpich.work / "qmpi").iterdir()) == []


def test_socket_of_a_killed_process(mpich, job):
    """The next command removes it."""
    one = job("control")
    processes = [int(path.name) for path in (mpich.work / "qmpi").iterdir()]
    for process in processes:
        os.kill(process, 9)
    one.process.wait(timeout=60)
    assert len(processes) == RANKS and one.ctl("status").status == 2
    assert list((mpich.work / "qmpi").iterdir()) == []


def test_folder_that_others_can_enter(mpich):
    """The program does without the socket."""
    (mpich.work / "qmpi").mkdir()
    (mpich.work / "qmpi").chmod(0o755)
    result = mpich.mpiexec(1, mpich.program(HERE / "loop.c"), "0", tools="control", XDG_RUNTIME_DIR=mpich.work)
    assert result.status == 0 and "is not a folder that this user alone can enter" in result.err, result


def test_other_user_is_refused(mpich, job):
    """nobody cannot enter the folder."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    one = job("count(asleep,out=a),control")
    for folder in (mpich.work, *mpich.work.parents):
        if str(folder).startswith("/tmp/"):
            folder.chmod(0o755)
    result = mpich.run("setpriv", "--reuid=65534", "--clear-groups", "qmpi_ctl", one.process.pid, "wake", **one.variables)
    one.end()
    assert result.status == 2, result
    assert calls((mpich.work / "a.txt").read_text()) == 0
