# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Jobs that Slurm starts: srun is the launcher and slurmd the process manager, by PMI-1 and PMI-2."""

import os
import shutil
import socket
import time

import pytest

from hosts.test_hosts import JOB_ENDS, ROUNDS, calls_of

RANKS = 4
WORDS = ("munged", "slurmctld", "slurmd", "srun")

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={node_port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={work}/munge
CredType=cred/munge
StateSaveLocation={work}/state
SlurmdSpoolDir={work}/spool
SlurmctldPidFile={work}/slurmctld.pid
SlurmdPidFile={work}/slurmd.pid
SlurmctldLogFile={work}/slurmctld.log
SlurmdLogFile={work}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=pmi2
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={ranks}
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def slurm(mpich):
    """A cluster of one node; runs a program in a job."""
    if os.geteuid() != 0 or not all(shutil.which(word, path=f"{os.environ['PATH']}:/usr/sbin") for word in WORDS):
        pytest.skip("Slurm is not here, or this user cannot start it")
    work = mpich.work
    for folder in ("state", "spool"):
        (work / folder).mkdir()
    (work / "key").write_bytes(os.urandom(64))
    (work / "key").chmod(0o600)
    configuration = work / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(work=work, host=socket.gethostname().split(".")[0], ranks=RANKS,
                                                  port=free_port(), node_port=free_port()))
    settings = {"SLURM_CONF": configuration, "PATH": f"{mpich.bin}:{os.environ['PATH']}:/usr/sbin"}
    munge = [f"--{word}={work}/{file}" for word, file in (("socket", "munge"), ("key-file", "key"), ("pid-file", "munge.pid"),
                                                          ("log-file", "munge.log"), ("seed-file", "seed"))]
    started = [mpich.run("munged", "--force", *munge, **settings), mpich.run("slurmctld", **settings), mpich.run("slurmd", **settings)]
    assert all(result.status == 0 for result in started), started
    end = time.monotonic() + 60
    while "idle" not in (state := mpich.run("sinfo", "-h", "-o", "%T", **settings).out):
        assert time.monotonic() < end, (state, (work / "slurmd.log").read_text()[-2000:])
        time.sleep(0.2)

    def slurm(tools, *words, **variables):
        return mpich.run("srun", "-n", RANKS, "--export=ALL", *words, MPIR_CVAR_QMPI_TOOL_LIST=tools, LD_PRELOAD=mpich.nap(),
                         **settings, **variables)
    return slurm


@pytest.mark.hours
@pytest.mark.parametrize("version", ["1", "2"])
def test_processes_of_a_job_make_one_report(mpich, slurm, version):
    result = slurm("profile(out=r)", mpich.program(JOB_ENDS), "finalize", MPIR_CVAR_PMI_VERSION=version)
    assert result.status == 0, result
    report = mpich.load("r.json")
    assert calls_of(report) == {"MPI_Sendrecv": ROUNDS * RANKS, "MPI_Barrier": ROUNDS * RANKS}
    assert len(report["tasks"]) == RANKS


@pytest.mark.hours
def test_check_compares_the_processes(mpich, slurm):
    result = slurm("check(out=r)", mpich.program(JOB_ENDS), "finalize")
    assert result.status == 0 and mpich.load("r.json")["findings"] == [], result
    assert "not compared" not in (mpich.work / "r.txt").read_text()


@pytest.mark.hours
def test_wrong_list_ends_the_job(mpich, slurm):
    result = slurm("typo", mpich.program(JOB_ENDS), "finalize")
    assert result.status != 0 and "no tool named 'typo'" in result.err, result


@pytest.mark.hours
def test_parts_of_a_job_have_other_tools(mpich, slurm):
    """Processes without tools are named in the report and wait for nobody."""
    program = mpich.program(JOB_ENDS)
    result = slurm("", "sh", "-c", f'[ $SLURM_PROCID = 2 ] || export MPIR_CVAR_QMPI_TOOL_LIST="count(out=r)"; exec {program} finalize')
    assert result.status == 0, result
    assert "3 processes of MPI_COMM_WORLD; not in the report: rank 2 (no tools)" in (mpich.work / "r.txt").read_text()
