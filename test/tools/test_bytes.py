# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""A byte means the same in all tools: one run of every kind of operation against the books that the program keeps."""

import collections
import json
import re
from pathlib import Path

import pytest

from tables import rows
from test_trace import Trace

HERE = Path(__file__).resolve().parent
RANKS = 4
TOOLS = "count,profile(out=profile.json),messages(out=messages.json),trace(out=trace),count(out=last)"

# Collective functions of the program by the operation that OTF2 has for them
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
POINT_TO_POINT = re.compile("MPI_(P|I?[bsr]?)(send|recv|sendrecv|mrecv)(_replace|_init)?(_c)?$", re.IGNORECASE)
ONE_SIDED = re.compile("MPI_R?(Put|Get|Accumulate|Get_accumulate|Fetch_and_op|Compare_and_swap)$", re.IGNORECASE)


@pytest.fixture(scope="module")
def run(mpich_module):
    program = mpich_module.program(HERE / "patterns.c", HERE / "expected_calls.c")
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


def is_message(function):
    return not function.startswith("MPI_File_")


def sums(functions):
    return tuple(map(sum, zip(*functions)))


def test_program_moves_data_by_every_kind_of_operation(books):
    collective = sum(COLLECTIVE.values(), [])
    kinds = {"point to point": [name for name in books if POINT_TO_POINT.match(name)],
             "one-sided": [name for name in books if ONE_SIDED.match(name)],
             "collective": [name for name in books if name in collective],
             "files": [name for name in books if not is_message(name)]}
    assert {kind: len(names) for kind, names in kinds.items()} == {
        "point to point": 20, "one-sided": 8, "collective": len(collective), "files": 8}
    assert sum(map(len, kinds.values())) == len(books)


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
    assert moved(found) == {name: pair for name, pair in books.items() if is_message(name)}


def test_messages_has_the_same_bytes_by_pairs(run, books):
    """One-sided operations are on the origin's side only."""
    report = json.loads((run[0].work / "messages.json").read_text())
    columns = report["pair_columns"]
    pairs = [dict(zip(columns, row)) for row in report["pairs"]]
    for kind, names in (("point-to-point", [name for name in books if POINT_TO_POINT.match(name)]),
                        ("collective", sum(COLLECTIVE.values(), []))):
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
    assert (found["sent"], found["received"]) == sums(pair for name, pair in books.items() if POINT_TO_POINT.match(name))


@pytest.mark.parametrize("operation", COLLECTIVE)
def test_archive_has_the_bytes_of_collective_operations(trace, books, operation):
    found = [(int(fields["Sent"]), int(fields["Received"])) for kind, _, _, fields in trace.events
             if kind in ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE") and fields["Operation"] == operation]
    assert sums(found) == sums(books[name] for name in COLLECTIVE[operation])
