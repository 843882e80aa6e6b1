# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The JSON reports of the tools, and those of qmpi_report from records, have the form of the installed JSON Schema.
The JSON files of trace are not reports: their form is the trace-event format."""

import json
from pathlib import Path

import pytest

try:
    import jsonschema
except ImportError:
    jsonschema = None

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
LISTS = {"count": [], "profile": ["communicators,depth=3,sample=2", ""], "messages": ["", "functions=rma", "rows=2"],
         "check": [""]}
RECORDING = list(LISTS)


@pytest.fixture(scope="module")
def schema(mpich_module):
    if not jsonschema:
        pytest.fail("this test needs the Python module jsonschema (package python3-jsonschema)", pytrace=False)
    found = json.loads((mpich_module.prefix / "share/mpich/qmpi-report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


@pytest.fixture
def assert_form(schema):
    """Compare a report with the schema; returns it."""
    def assert_form(report, tool):
        assert [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in schema.iter_errors(report)] == []
        assert report["tool"] == tool
        return report
    return assert_form


@pytest.fixture(scope="module")
def ended(mpich_module):
    """The installation; its folder has the reports TOOL-NUMBER.json of a program with every kind of communication."""
    program = mpich_module.program(COMMON / "patterns.c", COMMON / "expected_calls.c")
    tools = [f"{tool}(out={tool}-{i}.json{',' * bool(words)}{words})" for tool, lists in LISTS.items() for i, words in enumerate(lists)]
    result = mpich_module.mpiexec(4, program, "on", tools=",".join(tools))
    assert result.status == 0, result
    return mpich_module


@pytest.mark.parametrize("tool, number", [(tool, i) for tool, lists in LISTS.items() for i in range(len(lists))])
def test_report_of_mpi_finalize(ended, assert_form, tool, number):
    report = assert_form(ended.load(f"{tool}-{number}.json"), tool)
    assert (report["instance"], report["instances"], report["processes"], report["alone"]) == (number + 1, len(LISTS[tool]), 4, False)
    assert report["end"] >= report["begin"] and report["arguments"].endswith(LISTS[tool][number])


@pytest.mark.parametrize("tool", RECORDING)
def test_report_from_records(mpich, assert_form, tool):
    mpich.mpiexec(3, mpich.program(COMMON / "job_ends.c"), "abort", tools=f"{tool}(out=r)")
    report = assert_form(mpich.report("r.records"), tool)
    assert (report["processes"], report["end"]) == (3, None)


def test_report_from_journals(mpich, assert_form):
    mpich.mpiexec(3, mpich.program(COMMON / "job_ends.c"), "abort", tools="trace(out=r)")
    report = assert_form(mpich.report("r.unfinished"), "trace")
    assert (report["processes"], report["instance"], report["begin"]) == (3, None, None)


@pytest.mark.parametrize("tool", ["profile", "messages"])
def test_report_of_a_process_alone(mpich, assert_form, tool):
    result = mpich.mpiexec(2, mpich.program(COMMON / "ways.c"), "session", tools=f"{tool}(out=alone)")
    found = [assert_form(mpich.load(path), tool) for path in mpich.work.glob("alone.*.json")]
    assert [(report["processes"], report["alone"]) for report in found] == [(1, True)] * 2, result


# ---- the schema is not too generous ----

def positions(value, outer=None, key=None):
    """Each part of a JSON value as (outer, key): outer[key] is the part."""
    if outer is not None:
        yield outer, key
    for name, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from positions(part, value, name)


def is_number(part):
    return isinstance(part, (int, float)) and not isinstance(part, bool)


@pytest.fixture(params=["profile", "messages"])
def parts(request, ended):
    """A report with short lists, and the positions in it. Phases are left out: they may be any number."""
    report = ended.load(f"{request.param}-0.json")
    for name, part in report.items():
        if isinstance(part, list) and name != "pair_columns":
            del part[2:]
    phases = [id(pair) for pair in report.get("pairs", [])]
    return report, [(outer, key) for outer, key in positions(report)
                    if key != "phase" and not (key == 0 and id(outer) in phases)]


@pytest.mark.parametrize("wrong", [-5, "1", None])
def test_schema_refuses_other_values(schema, parts, wrong):
    """Bandwidths may be null."""
    report, found = parts
    numbers = [(outer, key) for outer, key in found if is_number(outer[key]) and not (
        wrong is None and isinstance(outer, list) and len(outer) == 16)]
    assert len(numbers) > 20
    for outer, key in numbers:
        right = outer[key]
        outer[key] = wrong
        assert not schema.is_valid(report), (outer, key)
        outer[key] = right
    assert schema.is_valid(report)


def test_schema_refuses_unknown_members(schema, parts):
    report, found = parts
    objects = [report, *(outer[key] for outer, key in found if isinstance(outer[key], dict))]
    assert len(objects) > 10
    for one in objects:
        one["surplus"] = 1
        assert not schema.is_valid(report), one
        del one["surplus"]


@pytest.mark.parametrize("name", ["format", "version", "tool", "begin", "absent", "functions"])
def test_schema_needs_every_member(ended, schema, name):
    report = ended.load("profile-0.json")
    del report[name]
    assert not schema.is_valid(report)


@pytest.mark.parametrize("version", [0, 2, "1"])
def test_schema_is_of_one_version(ended, schema, version):
    assert not schema.is_valid({**ended.load("profile-0.json"), "version": version})
