# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tool check on several hosts: processes with host names of their own, on one machine. The names are addresses of
the loopback interface. Rank 0's host has 16 others as its children in the tree, so one host is a child of the second."""

import re
import shutil
import socket
from pathlib import Path

import pytest

from check.parts import program_with

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
PROGRAM = COMMON / "wrong_ends.c"
HOSTS, RANKS, CHILDREN = 18, 20, 16
HOST_OF = {rank: rank % HOSTS for rank in range(RANKS)}
LAST = HOSTS - 1            # rank on the host that is a child of the second host

ON_HOST = f"""#!/bin/sh
exec unshare -u sh -c 'hostname 127.0.0.$((PMI_RANK % {HOSTS} + 1)); exec "$@"' sh "$@"
"""


@pytest.fixture
def job(mpich):
    """Run wrong_ends.c on all hosts; `script` runs when every process has made its errors, $job is mpiexec."""
    if not shutil.which("unshare") or mpich.run("unshare", "-u", "hostname", "h1").status != 0:
        pytest.skip("this user cannot give processes host names of their own")
    on_host = mpich.work / "on_host"
    on_host.write_text(ON_HOST)
    on_host.chmod(0o755)

    def job(*end, script="", tools="check(out=r,leaks=no)"):
        text = f"""
            mpiexec -n {RANKS} -genv LD_PRELOAD "$1" -genv MPIR_CVAR_QMPI_TOOL_LIST "$2" ./on_host "$3" {' '.join(map(str, end))} &
            job=$!
            until [ $(ls known.* 2> /dev/null | wc -l) = {RANKS} ]; do sleep 0.05; done
            {script}
            wait $job"""
        result = mpich.run("sh", "-c", text, "sh", mpich.nap(), tools, mpich.program(PROGRAM), seconds=120)
        assert mpich.left_over() == [], result
        return result
    return job


def kinds(report):
    return {one["kind"]: set(one["ranks"]) for one in report["findings"]}


def test_processes_of_all_hosts_are_compared(mpich, job):
    """Every process gets the last answer and removes its record."""
    result = job("finalize")
    report = mpich.load("r.json")
    assert (result.status, list(mpich.work.glob("*.records"))) == (0, []), result
    assert "compared" not in result.err and not any("not_compared" in task for task in report["tasks"]), result
    assert len({task["host"] for task in report["tasks"]}) == HOSTS
    assert kinds(report) == {"type mismatch": set(range(RANKS)), "buffer overlap": set(range(RANKS))}


def connections(work):
    """Of a process, by what the script has noted of it."""
    ours = set(re.findall(r"socket:\[(\d+)\]", (work / "files").read_text()))
    lines = [line.split() for line in (work / "connections").read_text().splitlines()[1:]]
    established = "01"
    return sum(line[3] == established and line[9] in ours for line in lines)


def test_rank_0_has_connections_to_its_own_host_and_the_hosts_next_to_it(mpich, job):
    note = "ls -l /proc/$(cat process.0)/fd > files; cat /proc/net/tcp /proc/net/tcp6 > connections; kill -KILL $job"
    numbers = []
    for tools in ("", "check(out=r,leaks=no)"):
        job("hang", script=note, tools=tools)
        numbers.append(connections(mpich.work))
        for known in mpich.work.glob("known.*"):
            known.unlink()
    own = [rank for rank in range(RANKS) if HOST_OF[rank] == HOST_OF[0]]
    assert numbers[1] - numbers[0] == len(own) + CHILDREN + 1       # it is also connected to itself


def reasons(mpich, job, lost, named):
    """Why processes are not compared any more when one was killed and the others have found more errors: {rank: reason}.
    Waits until so many are named."""
    job("stay", lost, script=f"""
        for i in $(seq 100); do
            qmpi_report json r.records > r.json
            [ $(grep -o '"not_compared"' r.json | wc -l) != {named} ] || break
            sleep 0.1
        done
        kill -KILL $(cat process.*)""")
    report = mpich.load("r.json")
    assert kinds(report) == {"type mismatch": set(range(RANKS)), "buffer overlap": set(range(RANKS))}
    return {task["rank"]: task["not_compared"]["reason"] for task in report["tasks"] if "not_compared" in task}


def test_loss_of_a_process_that_others_are_connected_by(mpich, job):
    """The processes of its host and those of the child are named; the others are compared as before."""
    lost = 1
    through = [rank for rank in range(RANKS) if HOST_OF[rank] in (HOST_OF[lost], HOST_OF[LAST]) and rank != lost]
    assert reasons(mpich, job, lost, len(through)) == {rank: "no connection to rank 0" for rank in through}


def test_loss_of_rank_0(mpich, job):
    assert reasons(mpich, job, 0, RANKS - 1) == {rank: "no connection to rank 0" for rank in range(1, RANKS)}


def test_errors_that_are_not_new_do_not_wait_for_rank_0(mpich, job):
    job("resume", script=f"""
        kill -STOP $(cat process.0)
        touch go
        for i in $(seq 150); do [ $(ls again.* 2> /dev/null | wc -l) != {RANKS - 1} ] || break; sleep 0.1; done
        ls again.* > early
        kill -CONT $(cat process.0)
        kill -KILL $job""")
    assert len((mpich.work / "early").read_text().split()) == RANKS - 1


# ---- messages ----

def test_too_few_files_are_named_with_the_process(mpich):
    result = mpich.mpiexec(2, "sh", "-c", 'ulimit -n 200; exec "$@"', "sh", mpich.program(PROGRAM), "finalize", tools="check(out=r)")
    assert re.findall(r"^QMPI .*compared.*|^QMPI .*open files.*", result.err, re.M) == [
        f"QMPI tool check: rank 0 on {socket.gethostname()}: needs 258 open files, but the limit is 200 (ulimit -Hn); "
        "processes are not compared"], result
    assert result.status == 0 and kinds(mpich.load("r.json")) == {"buffer overlap": {0, 1}}, result


# ---- hubs, without MPI ----

@pytest.fixture(scope="module")
def hubs(mpich_module):
    """Run hubs.cpp, in which rank i is on host i, and each host is the child of the one before."""
    program = program_with(mpich_module, "hubs.cpp", "connection", "hub", "relay", "socket")
    return lambda mode: mpich_module.run(program, mode, seconds=60)


@pytest.mark.parametrize("mode, out", [
    ("events", "1 1 1 1\n1001 1001 1001 1001\n"),
    ("end", "4\n"),
    ("lost", "1 1 0 1\n2\n"),
    ("broken", "1 0 0 0\n"),
    ("foreign", "0 0 0 0 0\n1 1 1 1\n\n"),
    ("held", "100\n1 1 1 1\n"),
    ("join", "4 6\n1 1\n4 5 6 7\n1 1 1 1\n")])
def test_hubs_pass_on(hubs, mode, out):
    """Answers of each process, number of its events, and lost ranks, as the mode has them."""
    result = hubs(mode)
    assert result.status == 0 and result.out.replace(" \n", "\n") == out, result
