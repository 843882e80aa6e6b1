# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The demonstration: the same binary of examples/qmpi/halo.c alone and under count,bcast,count."""

import re
from pathlib import Path

import pytest

from tables import rows

ROOT = Path(__file__).resolve().parents[2]
RANKS = 2
BROADCASTS = 4      # of the program, on each rank
OF_BCAST = {"MPI_Bcast", "MPI_Send", "MPI_Recv", "MPI_Comm_rank", "MPI_Comm_size"}


@pytest.fixture(scope="module")
def runs(mpich_module):
    program = mpich_module.program(ROOT / "examples/qmpi/halo.c", "-O2", "-lm")
    plain = mpich_module.mpiexec(RANKS, program)
    return plain, mpich_module.mpiexec(RANKS, program, tools="count,bcast,count")


@pytest.fixture(scope="module")
def above(runs):
    return rows(runs[1].err, 1)


@pytest.fixture(scope="module")
def below(runs):
    return rows(runs[1].err, 2)


@pytest.mark.parametrize("number", [0, 1], ids=["alone", "under tools"])
def test_program_finds_its_result_correct(runs, number):
    assert runs[number].status == 0 and runs[number].out.splitlines()[-1] == "result correct", runs[number]


def test_first_table_has_the_broadcasts_and_no_messages(above):
    assert above["MPI_Bcast"].calls == BROADCASTS * RANKS
    assert not {"MPI_Send", "MPI_Recv"} & set(above)


def test_second_table_has_the_messages_in_their_place(below):
    """A tree of n processes has n - 1 messages."""
    assert (below["MPI_Send"].calls, below["MPI_Recv"].calls) == (BROADCASTS * (RANKS - 1),) * 2
    assert "MPI_Bcast" not in below


def test_messages_carry_the_bytes_of_the_broadcasts(above, below):
    received = above["MPI_Bcast"].bytes - above["MPI_Bcast"].sent
    assert (below["MPI_Recv"].bytes, below["MPI_Send"].sent) == (received, received) and received > 0


def test_other_functions_are_the_same_in_both_tables(above, below):
    others = [{name: row for name, row in table.items() if name not in OF_BCAST} for table in (above, below)]
    assert others[0] == others[1] and others[0]


def test_standard_output_differs_in_the_time_alone(runs):
    """So residual, error and checksum are the same to the last bit."""
    plain, tools = (re.sub(r"^time .*\n", "", run.out, flags=re.M) for run in runs)
    assert plain == tools and re.search("^residual .*^checksum ", plain, re.M | re.S), runs


def test_readme_shows_call_sites_of_the_solver(mpich):
    """Calls, bytes and lines of the source; times differ."""
    shown = re.findall(r"^ +\d+ (MPI_\w+) +(\d+) +[\d.]+ +[\d.]+ +[\d.]+ +(\d+)  (.*)$", (ROOT / "README.md").read_text(), re.M)
    program = mpich.program(ROOT / "examples/qmpi/halo.c", "-O2", "-lm")
    assert mpich.mpiexec(RANKS, program, tools="profile(out=halo.txt)").status == 0
    report = (mpich.work / "halo.txt").read_text()
    assert shown and all(re.search(rf"^ +\d+ {function} +{calls} .* {sent} +\d+  {re.escape(site)}$", report, re.M)
                         for function, calls, sent, site in shown), report
