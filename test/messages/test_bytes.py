# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""A byte means the same in all tools: one run of every kind of operation against the books that the program keeps."""

import collections
import json
import re
from pathlib import Path

import pytest

from archive import Trace
from tables import rows

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
RANKS = 4
TOOLS = "count,profile(out=profile.json),messages(out=messages.json),trace(out=trace),count(out=last)"

# Functions by which the program moves data; the collective ones by the operation that OTF2 has for them
POINT_TO_POINT = ["MPI_Send", "MPI_Send_c", "MPI_Bsend", "MPI_Ssend", "MPI_Rsend", "MPI_Isend", "MPI_Send_init",
                  "MPI_Psend_init", "MPI_Recv", "MPI_Irecv", "MPI_Irecv_c", "MPI_Mrecv", "MPI_Imrecv", "MPI_Recv_init",
                  "MPI_Precv_init", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Isendrecv", "MPI_Isendrecv_replace"]
ONE_SIDED = ["MPI_Put", "MPI_Rput", "MPI_Get", "MPI_Rget", "MPI_Accumulate", "MPI_Get_accumulate", "MPI_Fetch_and_op",
             "MPI_Compare_and_swap"]
FILES = ["MPI_File_write_at", "MPI_File_write_at_all", "MPI_File_iwrite_at", "MPI_File_write_at_all_begin",
         "MPI_File_read_at", "MPI_File_read_at_all", "MPI_File_iread_at", "MPI_File_read_at_all_end"]
COLLECTIVE = {
    "BCAST": ["MPI_Bcast", "MPI_Bcast_c", "MPI_Bcast_init"],
    "GATHER": ["MPI_Gather"],
    "GATHERV": ["MPI_Gatherv", "MPI_Igatherv"],
    "SCATTER": ["MPI_Scatter"],
    "SCATTERV": ["MPI_Scatterv"],
    "ALLGATHER": ["MPI_Allgather", "MPI_Neighbor_allgather"],
    "ALLGATHERV": ["MPI_Allgatherv"],
    "ALLTOALL": ["MPI_Alltoall", "MPI_Ineighbor_alltoall"],
    "ALLTOALLV": ["MPI_Alltoallv", "MPI_Alltoallv_c", "MPI_Alltoallv_init", "MPI_Neighbor_alltoallv"],
    "ALLTOALLW": ["MPI_Alltoallw", "MPI_Ialltoallw", "MPI_Neighbor_alltoallw_init"],
    "REDUCE": ["MPI_Reduce"],
    "ALLREDUCE": ["MPI_Allreduce", "MPI_Iallreduce"],
    "REDUCE_SCATTER": ["MPI_Reduce_scatter"],
    "REDUCE_SCATTER_BLOCK": ["MPI_Reduce_scatter_block"],
    "SCAN": ["MPI_Scan"],
    "EXSCAN": ["MPI_Exscan"],
}


@pytest.fixture(scope="module")
def run(mpich_module):
    program = mpich_module.program(COMMON / "patterns.c", COMMON / "expected_calls.c")
    result = mpich_module.mpiexec(RANKS, program, "on", tools=TOOLS)
    assert result.status == 0, result
    return mpich_module, result


@pytest.fixture(scope="module")
def books(run):
    """{function: (sent, received)} of the program, where anything moved."""
    found = collections.defaultdict(lambda: (0, 0))
    for function, sent, received in re.findall(r"call (MPI_\w+) \S+ \d+ \d+ (\d+) (\d+)", run[1].out):
        found[function] = (found[function][0] + int(sent), found[function][1] + int(received))
    return moved(found)


def moved(functions):
    return {name: pair for name, pair in functions.items() if pair != (0, 0)}


def sums(functions):
    return tuple(map(sum, zip(*functions)))


def test_program_moves_data_by_every_kind_of_operation(books):
    assert set(books) == {*POINT_TO_POINT, *ONE_SIDED, *FILES, *sum(COLLECTIVE.values(), [])}


def test_profile_has_the_bytes_of_the_program(run, books):
    report = json.loads((run[0].work / "profile.json").read_text())
    assert moved({one["name"]: (one["sent_bytes"], one["received_bytes"]) for one in report["functions"]}) == books


@pytest.mark.parametrize("instance", [1, 2])
def test_count_has_the_bytes_of_the_program(run, books, instance):
    text = run[1].err if instance == 1 else (run[0].work / "last.txt").read_text()
    found = {name: (row.sent, row.bytes - row.sent) for name, row in rows(text, instance).items()}
    assert moved(found) == books


def test_messages_has_the_bytes_of_the_program(run, books):
    report = json.loads((run[0].work / "messages.json").read_text())
    found = collections.defaultdict(lambda: (0, 0))
    for one in report["functions"]:     # in each phase
        found[one["function"]] = sums([found[one["function"]], (one["sent_bytes"], one["received_bytes"])])
    assert moved(found) == {name: pair for name, pair in books.items() if name not in FILES}


def test_messages_has_the_same_bytes_by_pairs(run, books):
    """One-sided operations are on the origin's side only."""
    report = json.loads((run[0].work / "messages.json").read_text())
    columns = report["pair_columns"]
    pairs = [dict(zip(columns, row)) for row in report["pairs"]]
    for kind, names in (("point-to-point", POINT_TO_POINT), ("collective", sum(COLLECTIVE.values(), []))):
        found = sums((pair["sent_bytes"], pair["received_bytes"]) for pair in pairs if pair["kind"] == kind)
        assert found == sums(books[name] for name in names), kind


@pytest.fixture(scope="module")
def trace(run):
    return Trace(run[0], "trace")


def test_archive_has_the_bytes_of_messages(trace, books):
    found = collections.Counter()
    for kind, _, _, fields in trace.events:
        if kind in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"):
            found["sent" if "SEND" in kind else "received"] += int(fields["Length"])
    assert (found["sent"], found["received"]) == sums(books[name] for name in POINT_TO_POINT)


@pytest.mark.parametrize("operation", COLLECTIVE)
def test_archive_has_the_bytes_of_collective_operations(trace, books, operation):
    found = [(int(fields["Sent"]), int(fields["Received"])) for kind, _, _, fields in trace.events
             if kind in ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE") and fields["Operation"] == operation]
    assert sums(found) == sums(books[name] for name in COLLECTIVE[operation])
