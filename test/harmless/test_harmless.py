# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""A program that ends well does so with tools, and tools report what it did: steps of the world that fail, levels without
limit, handles that another tool has freed, children of fork."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.fixture
def sdk(mpich):
    """Compile a tool that uses the installed headers and library of the kit."""
    def sdk(source, *flags):
        found = mpich.run("pkg-config", "--cflags", "--libs", "qmpi", PKG_CONFIG_PATH=mpich.lib / "pkgconfig").out.split()
        return mpich.library(HERE / source, "-std=c++17", *flags, *found)
    return sdk


# ---- collective steps ----

@pytest.mark.parametrize("fault, reason", [
    ("state", "rank 1 has no state"), ("state_of_all", "rank 0 has no state"), ("memory", "cannot merge the reports"),
    ("merge", "cannot merge the reports"), ("write", "the report could not be written")])
def test_fault_of_one_process_between_collective_steps(mpich, sdk, fault, reason):
    """A tool that throws in one process, or lacks memory there, leaves no other process waiting."""
    tool = sdk("faulty.cpp")
    result = mpich.mpiexec(3, mpich.program(HERE / "steps.c"), "3", tools=f"{tool}(fault={fault})", seconds=60)
    assert (result.status, result.out) == (0, "sum 3\n" * 3), result
    assert re.search(rf"^QMPI tool faulty: .*{reason}", result.err, re.M), result


# ---- levels of MPI_Pcontrol ----

STEPS = 20000


def test_levels_of_pcontrol_are_bounded(mpich):
    """A program passes the number of its step as level: the report has no more phases than a limit, and all operations."""
    result = mpich.mpiexec(1, mpich.program(HERE / "steps.c"), "0", STEPS, tools="messages(out=m.json)", seconds=60)
    assert (result.status, result.out) == (0, "sum 0\n"), result
    functions = mpich.load("m.json")["functions"]
    phases = {line["phase"]: line["operations"] for line in functions if line["function"] == "MPI_Allreduce"}
    assert sum(phases.values()) == STEPS + 1 and len(phases) == 257
    assert (phases[0], phases[3], phases[257]) == (STEPS - 255, 1, 1), phases


# ---- handles that another tool has freed ----

@pytest.mark.parametrize("tools", ["messages(out=r.json)", "profile(out=r.json)", "count(out=r.txt)", "trace(out=r.json)"])
def test_handle_that_another_tool_has_freed(mpich, sdk, tools):
    """A tool passes a copy of its own, then frees it unseen: the program's next communicator may have its handle."""
    tool = sdk("copies.cpp")
    result = mpich.mpiexec(4, mpich.program(HERE / "reused.c"), tools=f"copies={tool},{tools}", seconds=60)
    assert (result.status, result.out) == (0, "the same handle\nok\n"), result
    if tools.startswith("messages"):
        report = mpich.load("r.json")
        columns = report["pair_columns"]
        rows = [dict(zip(columns, row)) for row in report["pairs"]]
        pairs = {(row["from"], row["to"]): row["sent_bytes"] for row in rows if row["sent_bytes"] >= 8000}
        assert set(pairs) == {(0, 2), (2, 0), (1, 3), (3, 1), (0, 0), (1, 1), (2, 2), (3, 3)}, pairs
    elif tools.startswith("count"):
        sent = int(re.search(r"^MPI_Alltoall +\d+ +\d+ +\d+ +(\d+)", (mpich.work / "r.txt").read_text(), re.M)[1])
        assert sent == 4 * 2 * 8000
    elif tools.startswith("profile"):
        functions = {line["name"]: line for line in mpich.load("r.json")["functions"]}
        assert functions["MPI_Alltoall"]["sent_bytes"] == 4 * 2 * 8000


# ---- fork ----

def test_child_does_not_reach_a_tool_without_a_destructor(mpich, sdk):
    """works_in_child = false holds for a tool that has no destructor, too."""
    tool = sdk("childless.cpp")
    result = mpich.mpiexec(1, mpich.program(HERE / "child.c"), tools=tool, seconds=30)
    assert (result.status, result.out) == (0, "parent 1\nchild 1\nparent 2\n"), result
