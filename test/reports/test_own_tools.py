# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""qmpi_report makes the report of a tool outside the tree by the library of the tool."""

import csv
import json
import re
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
RANKS = 3

# Rank r calls MPI_Comm_size 10 * (r + 1) times.
PROGRAM = """
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10 * (rank + 1); i++)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && *argv[1] == 'k')
        kill(getpid(), SIGKILL);
    if (argc > 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return MPI_Finalize();
}
"""
CALLS, MOST = 60, 30


@pytest.fixture(scope="module")
def library(mpich_module):
    """The example, as its author compiles it."""
    return mpich_module.library(ROOT / "examples/tools/table.cpp", "-fvisibility=hidden", "-Wall", "-Wextra",
                                "-Wshadow", "-Werror", "-lqmpi", "-ldw")


@pytest.fixture
def run(mpich, library):
    def run(*words, out="own"):
        return mpich.mpiexec(RANKS, mpich.program(PROGRAM, name="sizes.c"), *words, tools=f"{library}(out={out})")
    return run


@pytest.fixture
def report(mpich, library, run):
    """A report that qmpi_report makes from the records of the killed program."""
    def report(form, **variables):
        run("kill")
        variables.setdefault("MPIR_CVAR_QMPI_TOOL_PATH", library.parent)
        return mpich.run("qmpi_report", form, "own.records", **variables)
    return report


def test_text(report):
    result = report("show")
    assert result.status == 0 and re.search(rf"^MPI_Comm_size +{CALLS} +{MOST}$", result.out, re.M), result
    first, second = result.out.splitlines()[:2]
    assert first.startswith("table, instance 1 of 1") and first.endswith(": ended without MPI_Finalize"), result
    assert second.endswith(f", {RANKS} processes of MPI_COMM_WORLD"), result


def test_json(report):
    document = json.loads(report("json").out)
    assert (document["tool"], document["processes"]) == ("table", RANKS)
    assert document["records"] == {"ended": list(range(RANKS))}
    assert [line for line in document["functions"] if line["function"] == "MPI_Comm_size"] == [
        {"function": "MPI_Comm_size", "calls": CALLS, "most": MOST}]


def test_json_has_the_form_of_the_schema(mpich, report):
    schema = json.loads((mpich.prefix / "share/mpich/qmpi-report.schema.json").read_text())
    document = json.loads(report("json").out)
    jsonschema.validate(document, schema, jsonschema.Draft202012Validator)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "functions": 1}, schema, jsonschema.Draft202012Validator)


def test_csv(report):
    lines = list(csv.DictReader(report("csv").out.splitlines()))
    assert {"function": "MPI_Comm_size", "calls": str(CALLS), "most": str(MOST)} in lines


def test_page(report):
    page = report("html").out
    [data] = re.findall(r'<script[^>]* id="data"[^>]*>(.*?)</script>', page, re.S)
    assert "MPI_Comm_size" in data and "Most of a process" in data and str(MOST) in data


def test_same_table_at_the_end_and_from_records(mpich, run, report):
    assert run(out="ended").status == 0
    ended = (mpich.work / "ended.txt").read_text()
    killed = report("show").out
    line = re.compile(r"^MPI_Comm_size.*$", re.M)
    assert line.findall(ended) == line.findall(killed) != []


def test_message_of_the_tool_is_a_command_that_works(mpich, run):
    result = run("abort")
    [command] = set(re.findall(r'"([^"]*qmpi_report show [^"]*)"', result.err))
    shown = mpich.run("sh", "-c", command)
    assert shown.status == 0 and re.search(rf"^MPI_Comm_size +{CALLS} +{MOST}$", shown.out, re.M), (result, shown)


# ---- libraries that do not fit ----

@pytest.mark.parametrize("content, message", [
    (None, "there is no libqmpi_table.so or libtable.so in "),
    ("no library\n", "libtable.so: file too short"),
    ("int unrelated;\n", "libtable.so has no function qmpi_make_report_"),
    ("#include <qmpi/reporting_tool.hpp>\nauto unrelated = qmpi::variables_of_qmpi_report;\n",
     "whose library has no report of it")])
def test_library_that_does_not_fit_is_one_message(mpich, report, content, message):
    folder = mpich.work / "other"
    folder.mkdir()
    if content and content.startswith("no"):
        (folder / "libtable.so").write_text(content)
    elif content:
        (folder / "libtable.so").symlink_to(mpich.library(content, "-lqmpi", "-ldw", name="unrelated.cpp"))
    result = report("show", MPIR_CVAR_QMPI_TOOL_PATH=folder)
    assert result.status == 2 and message in result.err and result.err.count("\n") == 1, result
    assert "own.records/" in result.err and "tool table" in result.err, result


def test_missing_library_does_not_keep_other_reports_back(mpich, run, library):
    run("kill")
    mpich.mpiexec(1, mpich.program(PROGRAM, name="sizes.c"), "kill", tools="count(out=counted)")
    result = mpich.run("qmpi_report", "show", "own.records", "counted.records")
    assert result.status == 2 and "there is no libqmpi_table.so" in result.err, result
    assert re.search(r"^MPI_Comm_size +10 ", result.out, re.M), result


def test_name_in_a_record_is_not_a_path(mpich, report, library):
    """Whoever wrote the record must not choose a file that is loaded."""
    report("show")
    for record in (mpich.work / "own.records").iterdir():
        record.write_bytes(record.read_bytes().replace(b"table", b"x/../", 1))
    result = mpich.run("qmpi_report", "show", "own.records", MPIR_CVAR_QMPI_TOOL_PATH=library.parent)
    assert result.status == 2 and "there is no libqmpi_x/../.so" in result.err, result


def test_shipped_tools_export_the_function_only(mpich):
    for tool in ("check", "count", "messages", "profile"):
        symbols = mpich.run("nm", "-D", "--defined-only", mpich.tools / f"libqmpi_{tool}.so").out
        assert re.findall(r"\bqmpi\w+", symbols) == ["qmpi_make_report_1"], symbols
