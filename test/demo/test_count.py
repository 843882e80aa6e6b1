# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tools count, bcast and null: numbers against sums made by hand, output, and no difference to a program."""

import re
from pathlib import Path

import pytest

from tables import Row, functions, rows, tables

HERE = Path(__file__).resolve().parent
C = ["-std=c99", "-D_DEFAULT_SOURCE", "-pthread"]

# calls, bytes sent, bytes in total of bytes.c on three processes, whose comments say where each number comes from
BYTES = {
    "MPI_Send": (4, 20, 20), "MPI_Recv": (1, 0, 20), "MPI_Sendrecv": (3, 48, 96), "MPI_Sendrecv_replace": (3, 24, 48),
    "MPI_Mrecv": (3, 0, 0), "MPI_Send_init": (3, 0, 0), "MPI_Ssend_init": (1, 24, 24), "MPI_Irecv": (3, 0, 24),
    "MPI_Start": (8, 0, 0), "MPI_Psend_init": (1, 24, 24), "MPI_Precv_init": (1, 0, 24), "MPI_Bcast": (3, 24, 48),
    "MPI_Bcast_c": (3, 16, 32), "MPI_Gather": (3, 24, 48), "MPI_Igather": (3, 16, 32), "MPI_Scatterv": (3, 24, 48),
    "MPI_Allgather": (3, 36, 72), "MPI_Allgatherv": (3, 72, 144), "MPI_Alltoall": (3, 72, 144), "MPI_Alltoallw": (3, 52, 104),
    "MPI_Reduce": (3, 48, 96), "MPI_Allreduce": (3, 24, 48), "MPI_Scan": (3, 24, 48), "MPI_Reduce_scatter": (3, 72, 144),
    "MPI_Reduce_scatter_block": (3, 72, 144), "MPI_Reduce_local": (3, 0, 0), "MPI_Pack": (3, 0, 0),
    "MPI_Neighbor_alltoall": (3, 24, 48), "MPI_Neighbor_allgather": (3, 8, 16), "MPI_Neighbor_alltoallv": (3, 12, 24),
    "MPI_Ibcast": (3, 10, 20), "MPI_Iallgather": (3, 16, 32), "MPI_Iscatter": (3, 8, 16),
    "MPI_Ireduce_scatter_block": (3, 24, 48), "MPI_Put": (4, 8, 8), "MPI_Get": (3, 0, 12), "MPI_Fetch_and_op": (3, 12, 24),
    "MPI_Compare_and_swap": (3, 24, 36), "MPI_Get_accumulate": (3, 0, 24), "MPI_Ssend": (3, 0, 0), "MPI_Rsend": (3, 0, 0),
    "MPI_Pcontrol": (3, 0, 0), "MPI_Finalize": (3, 0, 0),
}


@pytest.fixture
def run(mpich):
    """Run a program of this folder under a list."""
    def run(tools, ranks, source, *words, **keywords):
        return mpich.mpiexec(ranks, mpich.program(HERE / f"{source}.c", *C), *words, tools=tools, **keywords)
    return run


@pytest.fixture(scope="module")
def table_of_bytes(mpich_module):
    return mpich_module.mpiexec(3, mpich_module.program(HERE / "bytes.c", *C), tools="count,count").err


# ---- count: numbers ----

@pytest.mark.parametrize("function", BYTES)
def test_count_has_the_calls_and_bytes_made_out_by_hand(table_of_bytes, function):
    first, second = (rows(table_of_bytes, instance)[function] for instance in (1, 2))
    assert (first.calls, first.sent, first.bytes) == BYTES[function]
    assert second == first


def test_count_has_the_sums_of_its_rows(table_of_bytes):
    sums = re.search(r"^\(all\) +(\d+) +(\d+) +(\d+)$", table_of_bytes, re.M).groups()
    table = rows(table_of_bytes, 1).values()
    assert tuple(map(int, sums)) == tuple(sum(getattr(row, name) for row in table) for name in ("calls", "sent", "bytes"))


def test_count_has_least_and_most_calls_of_a_process(table_of_bytes):
    assert rows(table_of_bytes, 1)["MPI_Send"][1:3] == (1, 2)


def test_count_loses_no_call_of_four_threads(run):
    assert rows(run("count", 2, "calls", "threads").err, 1)["MPI_Comm_rank"].calls == 800000


# ---- count: output ----

def is_sorted(text, column):
    values = [getattr(row, column) for row in rows(text, 1).values()]
    return len(values) > 10 and values == sorted(values, reverse=True)


def test_count_sorts_by_calls(table_of_bytes):
    assert is_sorted(table_of_bytes, "calls")


@pytest.mark.parametrize("tools", ["count(sort=bytes)", "count(out=-,sort=bytes)"])
def test_count_sorts_by_bytes(run, tools):
    assert is_sorted(run(tools, 3, "bytes").err, "bytes")


HEADS = ["count: instance 1 of 2 (tool 1 of the chain)", "count: instance 2 of 2 (tool 3 of the chain)"]


def test_count_prints_all_instances_in_order(run):
    assert re.findall(r"^count: instance .*\)", run("count,bcast,count", 2, "calls", "threads").err, re.M) == HEADS


@pytest.mark.parametrize("tools, files", [
    ("count(out=above,sort=bytes),bcast,count(out=below.txt)", ["above.txt", "below.txt"]),
    ("count(out=same),bcast,count(out=same)", ["same.txt", "same-2.txt"])], ids=["two names", "one name"])
def test_count_replaces_a_file_of_each_instance(mpich, run, tools, files):
    for name in files:
        (mpich.work / name).write_text("old\n")
    result = run(tools, 2, "calls", "threads")
    texts = [(mpich.work / name).read_text() for name in files]
    assert [re.findall(r"^count: instance .*\)", text, re.M) for text in texts] == [[head] for head in HEADS], texts
    assert result.err == "" and not any("old" in text for text in texts), result


def test_count_reports_files_that_cannot_be_written(run):
    """The tables are on standard error, and the program is unharmed."""
    result = run("count(out=/nonexistent/one),count(out=/nonexistent/two)", 2, "calls", "threads")
    for name in ("one", "two"):
        message = f"QMPI tool count: cannot write /nonexistent/{name}.txt: No such file or directory; the report follows"
        assert result.err.splitlines().count(message) == 1, result
    assert (result.status, tables(result.err)) == (0, 2), result


def test_count_reports_a_full_device(mpich, run):
    (mpich.work / "full.txt").symlink_to("/dev/full")
    result = run("count(out=full)", 2, "calls", "threads")
    assert result.err.count("cannot write full.txt: No space left on device; the report follows") == 1, result
    assert (result.status, tables(result.err)) == (0, 1), result


@pytest.mark.parametrize("argument", ["sort=size", "colour", "out="])
def test_count_refuses_an_argument_by_name(run, argument):
    result = run(f"count({argument})", 1, "calls", "sessions")
    lines = [line for line in result.err.splitlines() if argument in line]
    assert result.status != 0 and len(lines) == 1 and tables(result.err) == 0, result


# ---- count: ends ----

def test_count_has_a_table_of_each_process_without_a_world(run):
    result = run("count", 2, "calls", "sessions")
    assert (tables(result.err), rows(result.err, 1)["MPI_Session_finalize"].calls) == (2, 4), result


def test_count_writes_a_file_of_each_process_without_a_world(mpich, run):
    result = run("count(out=alone)", 2, "calls", "sessions")
    files = list(mpich.work.glob("alone*"))
    assert sum(tables(path.read_text()) for path in files) == len(files) == 2 and tables(result.err) == 0, result


def test_count_has_no_table_of_a_child(run):
    assert tables(run("count", 1, "calls", "child").err) == 1


def test_count_a_thousand_times_has_a_thousand_equal_tables(run):
    result = run(",".join(["count"] * 1000), 3, "bytes", seconds=300)
    parts = re.split(r"^count: instance .*\n", result.err, flags=re.M)[1:]
    assert (result.status, len(parts)) == (0, 1000), result
    assert len({re.sub(r"\s+$", "", part) for part in parts}) == 1 and "MPI_Send " in parts[0]


# ---- bcast and null: no difference to a program ----

CASES = [(1, "brief"), (2, "all"), (3, "brief"), (2, "sessions"), (3, "sessions")]


@pytest.mark.parametrize("tools", ["", "count,bcast,count", "bcast,bcast"], ids=["none", "count,bcast,count", "bcast,bcast"])
@pytest.mark.parametrize("ranks, mode", CASES, ids=[f"{ranks} ranks {mode}" for ranks, mode in CASES])
def test_bcast_keeps_what_mpi_promises(run, tools, ranks, mode):
    result = run(tools, ranks, "broadcast", mode)
    assert (result.status, result.out) == (0, "No errors\n"), result


@pytest.fixture(scope="module")
def around_bcast(mpich_module):
    err = mpich_module.mpiexec(2, mpich_module.program(HERE / "broadcast.c", *C), "brief", tools="count,bcast,count").err
    return rows(err, 1), rows(err, 2)


def calls(table, function):
    return table.get(function, Row(0, 0, 0, 0, 0)).calls


def test_bcast_passes_on_only_some_broadcasts(around_bcast):
    """The library keeps those of one process, of wrong arguments, and between groups."""
    above, below = (calls(table, "MPI_Bcast") for table in around_bcast)
    assert 0 < below < above


def test_bcast_hides_its_communicator(around_bcast):
    above, below = around_bcast
    more = {name for name in below if calls(below, name) > calls(above, name)}
    assert {"MPI_Send", "MPI_Recv"} <= more <= {"MPI_Comm_rank", "MPI_Comm_size", "MPI_Send", "MPI_Send_c", "MPI_Recv", "MPI_Recv_c"}
    assert set(above) <= set(below) | {"MPI_Bcast", "MPI_Bcast_c"}


def test_null_makes_no_difference_to_a_program(run):
    result = run("null,null", 2, "broadcast", "all")
    assert (result.status, result.out) == (0, "No errors\n"), result


def test_null_makes_no_difference_to_a_tool_between(run, table_of_bytes):
    """Polling functions aside, whose calls depend on time."""
    text = run("null,count,null", 3, "bytes").err
    assert rows(text, 1) == rows(table_of_bytes, 1)
    assert functions(text, 1) == functions(table_of_bytes, 1)


def test_every_tool_has_a_manual_page(mpich):
    tools = [path.name.removeprefix("libqmpi_").removesuffix(".so") for path in mpich.tools.glob("libqmpi_*.so")]
    pages = mpich.prefix / "share/man/man7"
    assert "count" in tools
    assert not [tool for tool in tools if not re.search(r"^\.Nd QMPI tool", (pages / f"qmpi-{tool}.7").read_text(), re.M)]
