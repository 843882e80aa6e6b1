# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""BAGEL as Debian compiled it for its MPICH: the energies of an example without and with tools. It uses MPI_THREAD_MULTIPLE,
and calls MPI_Finalize when the tools have ended."""

import json
import re

import pytest

pytestmark = [pytest.mark.hours]

PACKAGES = ["bagel", "libboost-serialization1.74.0", "libxc9", "libblas3", "liblapack3"]
RANKS = 2
TOOLS = "profile", "check", "messages"


@pytest.fixture(scope="module")
def bagel(unpack):
    """(program, input, variables)"""
    root, variables = unpack(*PACKAGES)
    example = (root / "share/doc/bagel/examples/hf_svp_hf.json").read_text()
    basis = f'"basis" : "{root}/share/bagel/svp.json"'
    return root / "bin/BAGEL", example.replace('"basis" : "svp"', basis), {**variables, "BAGEL_NUM_THREADS": "1"}


def test_numbers_are_those_without_tools(mpich, bagel):
    program, example, variables = bagel
    (mpich.work / "hf.json").write_text(example)
    results = [mpich.mpiexec(RANKS, program, "hf.json", tools=tools, **variables)
               for tools in ("", ",".join(f"{tool}(out={tool})" for tool in TOOLS))]
    assert [result.status for result in results] == [0, 0], results
    energies = [re.findall(r"^ +\d+ +(-\d+\.\d+)", result.out, re.M) for result in results]
    assert energies[0] and energies[0] == energies[1]
    reports = {tool: json.loads(mpich.run("qmpi_report", "json", f"{tool}.records").out) for tool in TOOLS}
    assert reports["check"]["findings"] == [] and all(report["absent"] == "" for report in reports.values())
    calls = {line["name"]: line["calls"] for line in reports["profile"]["functions"]}
    operations = {line["function"]: line["operations"] for line in reports["messages"]["functions"]}
    assert calls["MPI_Allreduce"] == operations["MPI_Allreduce"] > 0
