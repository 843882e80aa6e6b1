# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Reports of all tools: who owns a file name, and when there is a report."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"

# tool: suffixes of its files for out=NAME
FILES = {"check": {".txt", ".json", ".html"}, "count": {".txt"}, "messages": {".txt", ".json", ".html"},
         "profile": {".txt", ".json", ".html"}, "trace": {".otf2", ".html"}}
TOOLS = list(FILES)


@pytest.fixture
def run(mpich):
    def run(ranks, tools, *words, **keywords):
        return mpich.mpiexec(ranks, mpich.program(COMMON / "ends.c", "-D_GNU_SOURCE"), *words, tools=tools, **keywords)
    return run


@pytest.fixture
def files(mpich):
    """Names in the folder that begin so."""
    def files(name):
        return sorted(path.name for path in mpich.work.glob(f"{name}*"))
    return files


def tool_of(mpich, name):
    """The tool that has written a JSON report."""
    return mpich.load(name).get("tool")


# ---- the same name ----

@pytest.mark.parametrize("first, second", zip(TOOLS, TOOLS[1:] + TOOLS[:1]))
def test_name_of_another_tool_is_refused(run, files, first, second):
    """Messages name both instances and the name; nothing is written."""
    result = run(2, f"{first}(out=both),{second}(out=both)")
    messages = {re.sub(r"rank \d+", "", line) for line in result.err.splitlines() if "both" in line}
    assert result.status != 0 and len(messages) == 1, result
    message = messages.pop()
    assert all(word in message for word in ("out=both", second, "instance 2", "instance 1", first)), result
    assert files("both") == []


@pytest.mark.parametrize("first, second", [("part", "part.json"), ("part.json", "part"), ("part", "./part"),
                                           ("./part.json", "sub/../part.json")])
def test_different_spellings_of_a_name_are_the_same(run, first, second):
    result = run(1, f"profile(out={first}),messages(out={second})")
    assert result.status != 0 and f"out={second}" in result.err, result


def test_two_files_of_one_name_for_different_formats(mpich, run, files):
    result = run(1, "profile(out=pair.json),messages(out=pair.html),bcast,count(out=other)")
    assert (result.status, files("pair"), tool_of(mpich, "pair.json")) == (0, ["pair.html", "pair.json"], "profile"), result


def test_standard_error_is_for_all(run):
    result = run(1, "profile(out=-),messages(out=-)")
    assert result.status == 0 and "Profile of MPI calls" in result.err and "messages: instance 1" in result.err, result


def test_first_instance_continues_alone_with_warn(mpich, run):
    result = run(1, "profile(out=warn),messages(out=warn)", MPIR_CVAR_QMPI_ON_ERROR="warn")
    assert (result.status, tool_of(mpich, "warn.json")) == (0, "profile"), result


@pytest.mark.parametrize("tool", TOOLS)
def test_second_instance_of_a_tool_adds_its_number(run, files, tool):
    result = run(2, f"{tool}(out={tool}-files),bcast,{tool}(out=./{tool}-files)")
    assert (result.status, files(f"{tool}-files")) == (
        0, sorted(f"{tool}-files{number}{suffix}" for number in ("", "-2") for suffix in FILES[tool])), result


def test_name_with_the_number_is_refused_if_another_instance_has_it(run):
    result = run(2, "profile(out=three-3.json),profile(out=three.json),profile(out=three.json)")
    assert result.status != 0 and "three-3" in result.err, result


def test_two_instances_of_trace_with_different_formats_and_functions(mpich, run, files):
    run(2, "trace(out=apart.json,functions=MPI_Init+MPI_Finalize),trace(out=apart.html)")
    events = mpich.load("apart.json")["traceEvents"]
    assert {Path(name).suffix for name in files("apart")} == {".html", ".json"}
    assert sorted(event["name"] for event in events if event["ph"] == "X" and event["pid"] == 1) == ["MPI_Finalize", "MPI_Init"]
    assert any("MPI_Barrier" in (mpich.work / name).read_text() for name in files("apart") if name.endswith(".html"))


# ---- instances that are refused ----

@pytest.mark.parametrize("on_error", ["abort", "warn"])
@pytest.mark.parametrize("arguments", ["colour", "formats=xml"])
@pytest.mark.parametrize("tool", TOOLS)
def test_refused_instance_writes_nothing(run, files, tool, arguments, on_error):
    result = run(2, f"{tool}(out=refused,{arguments})", MPIR_CVAR_QMPI_ON_ERROR=on_error)
    assert ((result.status != 0) == (on_error == "abort"), files("refused")) == (True, []), result


@pytest.mark.parametrize("tool", TOOLS)
def test_instance_before_a_refused_one_writes_nothing(run, files, tool):
    result = run(2, f"{tool}(out=refused),profile(colour)")
    assert (result.status != 0, files("refused")) == (True, []), result


# ---- programs that do not end as one job ----

@pytest.mark.parametrize("tool", ["count", "messages", "profile"])
def test_mpi_abort_leaves_records(run, files, tool):
    run(2, f"{tool}(out=aborted.txt)", "abort")
    assert files("aborted") == ["aborted.records"]


@pytest.mark.parametrize("tool", ["count", "messages", "profile"])
def test_spawned_processes_have_their_own_report(mpich, files, spawned, tool):
    result = spawned(1, mpich.program(COMMON / "ends.c", "-D_GNU_SOURCE"), "spawn", tools=f"{tool}(out=spawned)")
    names = files("spawned")
    assert (result.status, len(names)) == (0, 2 * len(FILES[tool])), result
    assert tool == "count" or sorted(mpich.load(name)["processes"] for name in names if ".json" in name) == [1, 2], result
