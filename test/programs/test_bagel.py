# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""BAGEL as Debian compiled it for its MPICH: the energies of an example. It uses MPI_THREAD_MULTIPLE, and calls MPI_Finalize
when the tools have ended."""

import re

import pytest

from questions import test_findings_are_known, test_results_are_those_without_tools     # noqa: F401

pytestmark = [pytest.mark.hours]

PACKAGES = ["bagel", "libboost-serialization1.74.0", "libxc9", "libblas3", "liblapack3"]
WHAT = "energies of a molecule"
KNOWN = "(?!)"


def energies(text):
    return re.findall(r"^ +\d+ +(-\d+\.\d+)", text, re.M)


@pytest.fixture(scope="module")
def pairs(mpich_module, unpack, compare):
    root, variables = unpack(*PACKAGES)
    example = (root / "share/doc/bagel/examples/hf_svp_hf.json").read_text()
    basis = f'"basis" : "{root}/share/bagel/svp.json"'
    (mpich_module.work / "hf.json").write_text(example.replace('"basis" : "svp"', basis))
    return [compare(2, root / "bin/BAGEL", "hf.json", results=energies, BAGEL_NUM_THREADS=1, **variables)]


def test_pmpi_tool_sees_the_calls_that_profile_counts(pairs):
    [pair] = pairs
    assert pair.member == {**pair.profiled, "MPI_Finalize": pair.ranks}
