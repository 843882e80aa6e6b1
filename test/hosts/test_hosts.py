# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Jobs on four hosts: network namespaces with names and addresses of their own, and mpiexec launches across them."""

import os
import re
import shutil
from pathlib import Path

import pytest

from job_ends import ROUNDS

HERE = Path(__file__).resolve().parent
JOB_ENDS = HERE.parent / "common/job_ends.c"
WRONG_ENDS = HERE.parent / "common/wrong_ends.c"
WORLDS = HERE.parent / "common/worlds.c"
HOSTS, PER_HOST = 4, 2
RANKS = HOSTS * PER_HOST

# host COMMAND...: as on that host; TMPDIR has the files hosts (for /etc/hosts) and hidden.HOST (a folder to hide)
ON = """#!/bin/sh
host=$1; shift
exec ip netns exec "$QMPI_TEST_NET-$host" unshare -mu sh -c '
    hostname "$1"; shift
    mount --bind "$TMPDIR/hosts" /etc/hosts
    [ ! -e "$TMPDIR/hidden.$(hostname)" ] || mount -t tmpfs none "$(cat "$TMPDIR/hidden.$(hostname)")"
    exec "$@"' sh "$host" "$@"
"""

# what mpiexec starts in place of ssh: [-x] HOST WORD...
LAUNCH = """#!/bin/sh
[ "$1" != -x ] || shift
host=$1; shift
exec "$(dirname "$0")/on" "$host" sh -c "$*"
"""


@pytest.fixture
def net(mpich):
    """Makes the hosts; their names in the kernel begin with this."""
    name = f"qmpi{os.getpid()}"
    work = mpich.work
    if not shutil.which("ip") or mpich.run("ip", "netns", "add", f"{name}-switch").status != 0:
        pytest.skip("this user cannot make network namespaces")
    switch = ["-n", f"{name}-switch"]
    lines = ["127.0.0.1 localhost"]
    try:
        done = [mpich.run("ip", *switch, "link", "add", "switch", "type", "bridge"),
                mpich.run("ip", *switch, "link", "set", "switch", "up")]
        for i in range(1, HOSTS + 1):
            host = f"{name}-h{i}"
            lines.append(f"10.77.0.{i} h{i}")
            done += [mpich.run("ip", "netns", "add", host),
                     mpich.run("ip", *switch, "link", "add", f"h{i}", "type", "veth", "peer", "name", "eth0", "netns", host),
                     mpich.run("ip", *switch, "link", "set", f"h{i}", "master", "switch", "up"),
                     mpich.run("ip", "-n", host, "addr", "add", f"10.77.0.{i}/24", "dev", "eth0"),
                     mpich.run("ip", "-n", host, "addr", "add", f"fd77::{i}/64", "dev", "eth0", "nodad"),
                     mpich.run("ip", "-n", host, "link", "set", "eth0", "up"),
                     mpich.run("ip", "-n", host, "link", "set", "lo", "up")]
        assert all(result.status == 0 for result in done), done
        (work / "hosts").write_text("\n".join(lines) + "\n")
        for program, text in (("on", ON), ("launch", LAUNCH)):
            (work / program).write_text(text)
            (work / program).chmod(0o755)
        yield name
    finally:
        for line in ["switch", *(f"h{i}" for i in range(1, HOSTS + 1))]:
            mpich.run("ip", "netns", "delete", f"{name}-{line}")


@pytest.fixture
def job(mpich, net):
    """Start a program on all hosts. The list is set for mpiexec only, which hands it on. `script` runs when every
    process has made its calls; $job is mpiexec."""
    # MPICH 4.0.2 often waits for ever in MPI_Finalize when processes use UCX's TCP, without QMPI too.
    transport = ["-genv", "UCX_TLS", "tcp,self"] if mpich.version >= (5,) else []

    def job(tools, end="finalize", script="", source=JOB_ENDS, **variables):
        program = mpich.program(source)
        command = ["./on", "h1", mpich.bin / "mpiexec", "-launcher", "ssh", "-launcher-exec", mpich.work / "launch",
                   "-localhost", "10.77.0.1", "-hosts", ",".join(f"h{i}" for i in range(1, HOSTS + 1)), "-n", RANKS, "-ppn", PER_HOST,
                   "-genv", "LD_PRELOAD", mpich.nap(), *transport, program, end]
        if script:
            command = ["sh", "-c", f"""
                "$@" & job=$!
                until [ $(ls known.* 2> /dev/null | wc -l) = {RANKS} ]; do sleep 0.05; done
                {script}
                wait $job""", "sh", *command]
        return mpich.run(*command, seconds=90, MPIR_CVAR_QMPI_TOOL_LIST=tools, QMPI_TEST_NET=net, **variables)
    return job


def calls_of(report):
    return {line["name"]: line["calls"] for line in report["functions"]
            if line["name"] in ("MPI_Sendrecv", "MPI_Barrier")}


ALL_CALLS = {"MPI_Sendrecv": ROUNDS * RANKS, "MPI_Barrier": ROUNDS * RANKS}


# ---- tools ----

def test_no_tools(mpich, job):
    result = job("")
    assert result.status == 0, result
    assert mpich.left_over() == []


def test_profile(mpich, job):
    result = job("profile(out=r)")
    report = mpich.load("r.json")
    assert result.status == 0 and calls_of(report) == ALL_CALLS, result
    assert [task["host"] for task in report["tasks"]] == [f"h{i // PER_HOST + 1}" for i in range(RANKS)]
    assert "8 on 4 hosts" in (mpich.work / "r.txt").read_text()


def test_count(mpich, job):
    result = job("count(out=r)")
    assert result.status == 0, result
    assert re.search(rf"^MPI_Barrier +{ROUNDS * RANKS} ", (mpich.work / "r.txt").read_text(), re.M)


def test_messages(mpich, job):
    result = job("messages(out=r)")
    report = mpich.load("r.json")
    assert result.status == 0, result
    assert {line["function"]: line["operations"] for line in report["functions"]}["MPI_Sendrecv"] == ROUNDS * RANKS


def test_check_compares_processes_of_all_hosts(mpich, job):
    result = job("check(out=r)")
    report = mpich.load("r.json")
    assert result.status == 0 and report["findings"] == [], result
    assert "not compared" not in (mpich.work / "r.txt").read_text()


def test_check_compares_processes_with_sessions_of_all_hosts(mpich, job):
    """MPI_Session_init of MPICH 5 has the barrier that it needs on demand only."""
    result = job("check(out=r)", "session", source=WORLDS, MPIR_CVAR_INIT_SKIP_PMI_BARRIER="0")
    report = mpich.load("r.json")
    assert result.status == 0 and "compared" not in result.err and not list(mpich.work.glob("*.records")), result
    assert (report["findings"], "not_compared" in report, len({task["host"] for task in report["tasks"]})) == ([], False, HOSTS)


@pytest.mark.parametrize("other", ["10.77.0.3", "fd77::1", "fd77::3"])
def test_check_tries_each_address_of_a_host(mpich, job, other):
    """The system prefers the other address on h2 and h3; nothing of ours listens there, or it is the same host's."""
    with open(mpich.work / "hosts", "a") as hosts:
        hosts.write(f"{other} h1\n")
    result = job("check(out=r)")
    assert result.status == 0 and mpich.load("r.json")["absent"] == "", result
    assert "not compared" not in (mpich.work / "r.txt").read_text()


def test_check_finds_errors_of_processes_of_all_hosts(mpich, job):
    """All get the last answer, and remove their records."""
    result = job("check(out=r,leaks=no)", source=WRONG_ENDS)
    findings = {one["kind"]: one["ranks"] for one in mpich.load("r.json")["findings"]}
    assert findings == {"type mismatch": list(range(RANKS)), "buffer overlap": list(range(RANKS))}, result
    assert result.status == 0 and "compared" not in result.err and not list(mpich.work.glob("*.records")), result


def test_check_names_the_processes_of_a_host_that_is_cut_off(mpich, net, job):
    """The others continue. mpiexec then waits for that host until it is killed."""
    cut = f"""
        ip -n {net}-h4 link set eth0 down
        touch go
        for i in $(seq 400); do
            qmpi_report json r.records > r.json
            [ $(grep -o '"not_compared"' r.json | wc -l) != {PER_HOST} ] || break
            sleep 0.1
        done
        kill -KILL $job"""
    result = job("check(out=r,leaks=no)", "resume", cut, WRONG_ENDS)
    reasons = {task["rank"]: task["not_compared"]["reason"] for task in mpich.load("r.json")["tasks"] if "not_compared" in task}
    assert reasons == {6: "no connection to rank 0", 7: "no connection to rank 0"}, result
    assert len(list(mpich.work.glob("again.*"))) == RANKS, result


def test_trace(mpich, job):
    result = job("trace(out=r)")
    assert result.status == 0 and not (mpich.work / "r.unfinished").exists(), result
    shown = mpich.run("otf2-print", "r.otf2/traces.otf2")
    assert re.search(rf"^ENTER +{RANKS - 1} .*MPI_Sendrecv", shown.out, re.M), shown


@pytest.mark.hours
@pytest.mark.parametrize("tool", ["profile", "check"])
def test_spawned_processes_are_reported(mpich, job, tool):
    """For devices that can spawn: UCX refuses, or hangs."""
    if job("", "spawn", source=WORLDS, may_time_out=True).status != 0:
        pytest.skip("MPI_Comm_spawn does not work in this installation without tools either")
    result = job(f"{tool}(out=r,leaks=no)" if tool == "check" else f"{tool}(out=r)", "spawn", source=WORLDS)
    assert result.status == 0 and result.out.count("right") == RANKS + 2, result
    reports = [mpich.load(path.name) for path in mpich.work.glob("r*.json")]
    sizes = [RANKS + 2] if tool == "check" else [2, RANKS]
    assert sorted(len(report["tasks"]) for report in reports) == sizes, result
    assert all(report["absent"] == "" and not report.get("findings") for report in reports), reports


# ---- a host without the library of a tool ----

def test_host_without_the_library_ends_the_job(mpich, job):
    (mpich.work / "hidden.h3").write_text(str(mpich.tools))
    result = job("profile(out=r)")
    ranks = set(re.findall(r"^MPICH: rank (\d): tool list: .*'profile'", result.err, re.M))
    assert result.status != 0 and ranks and ranks <= {"4", "5"}, result
    # launchers of other hosts that had not connected yet do not notice the end of mpiexec
    assert set(mpich.left_over()) <= {"sh", "hydra_pmi_proxy"}


def test_host_without_the_library_may_be_left_out(mpich, job):
    (mpich.work / "hidden.h3").write_text(str(mpich.tools))
    result = job("profile(out=r)", MPIR_CVAR_QMPI_ON_ERROR="warn")
    report = mpich.load("r.json")
    assert result.status == 0 and [task["rank"] for task in report["tasks"]] == [0, 1, 2, 3, 6, 7], result
    assert "4-5" in report["absent"] or "4, 5" in report["absent"], report["absent"]


# ---- ends ----

def test_killed_process_leaves_its_record(mpich, job):
    result = job("profile(out=r)", "kill")
    assert result.status != 0 and calls_of(mpich.report("r.records")) == ALL_CALLS, result
    assert mpich.left_over() == []


@pytest.mark.parametrize("signal", ["INT", "TERM"])
def test_interrupted_mpiexec_leaves_records_of_all_hosts(mpich, job, signal):
    result = job("profile(out=r)", "hang", f"sleep 0.2; kill -{signal} $job")
    assert calls_of(mpich.report("r.records")) == ALL_CALLS, result
    assert mpich.left_over() == []


def test_host_that_is_cut_off_leaves_its_records(mpich, net, job):
    """They can be read while the job hangs. mpiexec then waits for that host until it is killed."""
    cut = f"ip -n {net}-h4 link set eth0 down; qmpi_report json r.records > hanging.json; kill -KILL $job"
    result = job("profile(out=r)", "hang", cut)
    for report in (mpich.load("hanging.json"), mpich.report("r.records")):
        assert calls_of(report) == ALL_CALLS and len(report["tasks"]) == RANKS, result
