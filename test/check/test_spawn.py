##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

"""Processes that MPI_Comm_spawn starts are compared with those that have started them."""

import json
import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "spawned_errors.c"


@pytest.fixture
def job(mpich, spawned):
    """Run a mode of the program under check."""
    def job(mode, arguments="", *more):
        program = mpich.program(SOURCE)
        spawned(2, program, "right", tools="null")
        result = mpich.mpiexec(2, program, mode, *more, tools=f"check(out=r,deadlock=abort,timeout=2{arguments})")
        for failure in ("MPI_Open_port(", "unmatched message"):     # of MPICH 5: with UCX; of MPI_Comm_disconnect
            if failure in result.err:
                pytest.skip(f"the library has failed: {failure}")
        return result
    return job


def report(mpich):
    return json.loads((mpich.work / "r.json").read_text())


def found(mpich):
    """(line, kind) of each finding"""
    return {(int(one["site"].split(":")[1]), one["kind"]) for one in report(mpich)["findings"]}


def expected(mode):
    lines = enumerate(SOURCE.read_text().splitlines(), 1)
    marks = [(number, re.search(rf"/\* {mode}: (.*) \*/", line)) for number, line in lines]
    return {(number, kind) for number, mark in marks if mark for kind in mark.group(1).split(", ")}


@pytest.mark.parametrize("mode", ["type", "deadlock", "exchange", "unreceived", "leak", "merged", "conflict", "unordered"])
def test_error_is_found_at_its_line_and_nothing_else(mpich, job, mode):
    result = job(mode)
    assert found(mpich) == expected(mode) != set(), result


def test_race_of_a_parent_and_a_child_is_found(mpich, job):
    result = job("race", ",races=yes")
    assert found(mpich) == expected("race") != set(), result


def test_collective_mismatch_of_parents_and_children_is_found(mpich, job):
    result = job("collective")
    assert expected("collective") < found(mpich), result
    assert {kind for _, kind in found(mpich) - expected("collective")} == {"collective mismatch"}, result


def test_too_long_message_of_a_parent_is_found_in_the_child(mpich, job):
    """The error ends the job."""
    result = job("truncation")
    assert "spawned_errors.c" in result.err and "truncation: buffer holds 2 int32, but rank" in result.err, result


@pytest.mark.parametrize("mode", ["right", "ordered"])
def test_nothing_is_found_in_a_right_program(mpich, job, mode):
    result = job(mode, ",races=yes")
    assert (result.status, result.err, found(mpich)) == (0, "", set()), result


def test_report_has_the_spawned_processes(mpich, job):
    job("right")
    made = report(mpich)
    assert (made["spawned"], [task["rank"] for task in made["tasks"]]) == ([2, 3], [0, 1, 2, 3])
    assert "of 4 processes\nranks 2-3: spawned\n" in (mpich.work / "r.txt").read_text()
    assert [path.name for path in mpich.work.glob("r*.json")] == ["r.json"]


def test_children_of_children_are_compared(mpich, job):
    result = job("again")
    assert found(mpich) == expected("type"), result
    assert report(mpich)["spawned"] == [2, 3, 4, 5]
    assert {1, 3} & set(rank for one in report(mpich)["findings"] for rank in one["ranks"]), result


def test_children_of_processes_with_sessions_are_compared(mpich, job):
    result = job("session")
    assert (found(mpich), report(mpich)["spawned"]) == (expected("type"), [2, 3]), result


def test_children_without_the_tool(mpich, job):
    """They are not compared, and the parents' report says so."""
    script = mpich.work / "without"
    script.write_text(f'#!/bin/sh\nunset MPIR_CVAR_QMPI_TOOL_LIST\nexec {mpich.program(SOURCE)} "$@"\n')
    script.chmod(0o755)
    result = job("right", "", script)
    made = report(mpich)
    assert (result.status, found(mpich), made.get("spawned")) == (0, set(), None), result
    assert all("a world that is not compared" in str(task["communicators_not_compared"]) for task in made["tasks"])


def test_one_child_without_the_tool(mpich, job):
    """The children do not join, and those that have the tool say so."""
    script = mpich.work / "without"
    script.write_text(f'#!/bin/sh\n[ "$PMI_RANK" = 1 ] && unset MPIR_CVAR_QMPI_TOOL_LIST\nexec {mpich.program(SOURCE)} "$@"\n')
    script.chmod(0o755)
    result = job("right", "", script)
    assert (result.status, found(mpich), report(mpich).get("spawned")) == (0, set(), None), result
    assert "not all of them have this tool; spawned processes are not compared" in result.err, result


def test_killed_children_are_named(mpich, job):
    """Unless mpiexec kills their parents before they report."""
    result = job("killed")
    if not (mpich.work / "r.json").exists():
        pytest.skip("mpiexec has killed the parents, too")
    made = report(mpich)
    if made["end"]:
        assert any(left["ranks"] == [2, 3] for left in made["left_out"]), result


def test_children_that_outlive_their_parents_are_named(mpich, job):
    result = job("long")
    assert (result.status, found(mpich)) == (0, set()), result
    assert [left["ranks"] for left in report(mpich)["left_out"]] == [[2, 3]] * 1, result
    assert "rank 0 has not answered" in result.err
