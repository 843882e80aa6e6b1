# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The description of MPI for tools: it is complete, and the generator refuses one that is wrong."""

import importlib
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]


def names_of(path, pattern):
    return [name for line in path.read_text().splitlines() for name in re.findall(pattern, line.partition("#")[0])]


def test_every_function_with_an_id_is_described_once():
    """So the functions of all bases are."""
    with_id = names_of(ROOT / "src/binding/qmpi_functions.txt", r"^\d+\s+(MPIX?_\w+)")
    described = names_of(ROOT / "src/binding/qmpi_operations.txt", r"MPIX?_\w+")
    small = [name for name in with_id if not (name.endswith("_c") and name[:-2] in with_id)]
    assert len(small) > 500 and sorted(described) == sorted(small)


@pytest.fixture(scope="module")
def kit(tree):
    """The generator's module for the kit."""
    sys.path.insert(0, str(tree / "maint"))
    try:
        return importlib.import_module("local_python.binding_qmpi_kit")
    finally:
        sys.path.remove(str(tree / "maint"))


def parameter(name, kind, direction="in", length=None):
    return {"name": name, "kind": kind, "param_direction": direction, "length": length}


REQUEST = parameter("request", "REQUEST", "out")
SENT = [parameter("buf", "BUFFER"), parameter("count", "POLYXFER_NUM_ELEM_NNI"), parameter("datatype", "DATATYPE")]
COMMUNICATOR = parameter("comm", "COMMUNICATOR")


@pytest.fixture
def describe(kit, work):
    """Describe one function by the text of a description file."""
    def describe(text, name, *parameters):
        (work / "operations").write_text(text)
        described = kit.load_descriptions(work / "operations", ["MPI_Send", "MPI_Isend", "MPI_Comm_free"])
        function = SimpleNamespace(name=name, is_large=False, dir="", parameters=list(parameters))
        kit.describe([function], described)
        return function
    return describe


def test_description_agrees_with_the_api(kit, describe):
    function = describe("[point_to_point]\nsend nonblocking: MPI_Send\n MPI_Isend\n", "MPI_Isend", *SENT, COMMUNICATOR, REQUEST)
    assert kit.sets(function) == ["point_to_point", "nonblocking"]
    assert [kit.effect(function, p) for p in function.parameters] == ["none"] * 4 + ["starts"]


def test_function_that_is_not_described_is_named(describe):
    with pytest.raises(Exception, match="qmpi_operations.txt:\nMPI_Isend: not described"):
        describe("[point_to_point]\nsend: MPI_Send\n", "MPI_Isend", *SENT, REQUEST)


@pytest.mark.parametrize("facts, parameters, message", [
    ("send nonblocking", SENT, "nonblocking, but it gives no request"),
    ("send persistent", SENT, "persistent, but it gives no request"),
    ("send", [*SENT, REQUEST], "gives a request, but is neither nonblocking nor persistent"),
    ("receive", SENT, "receive, but it has a buffer that is read"),
    ("receive", SENT, "receive, but it has no buffer that is written"),
    ("bcast collective", [COMMUNICATOR], "bcast, but it has no buffer that is read"),
    ("query", SENT, "query, but it has buffers"),
    ("wait", [COMMUNICATOR], "wait, but it takes no request"),
    ("fence collective", [COMMUNICATOR], "fence, but it takes no window"),
    ("free", [COMMUNICATOR], "free, but it takes no handle"),
    ("create", [COMMUNICATOR], "create, but it returns no handle"),
    ("query neighborhood", [COMMUNICATOR], "neighborhood, but not collective"),
])
def test_description_that_contradicts_the_api_is_refused(describe, facts, parameters, message):
    with pytest.raises(Exception, match="MPI_Send: " + message):
        describe(f"[point_to_point]\n{facts}: MPI_Send\n", "MPI_Send", *parameters)


@pytest.mark.parametrize("text, message", [
    ("[points]\n", "operations:1: unknown set"),
    ("[point_to_point]\nsends: MPI_Send\n", "operations:2: not an operation .*: 'sends'"),
    ("[point_to_point]\nsend blocking: MPI_Send\n", "operations:2: not an operation .*: 'send blocking'"),
    ("send: MPI_Send\n", "operations:1: not an operation"),
    ("[point_to_point]\nsend: MPI_Send MPI_Send\n", "operations:2: MPI_Send is described twice"),
    ("[point_to_point]\nsend: MPI_Sent\n", "operations:2: MPI_Sent has no id"),
    (" MPI_Send\n", "operations:1: neither"),
    ("[point_to_point]\nMPI_Send\n", "operations:2: neither"),
])
def test_text_that_is_no_description_is_refused_with_its_line(describe, text, message):
    with pytest.raises(Exception, match=message):
        describe(text, "MPI_Send", *SENT)
