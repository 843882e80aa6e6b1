# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The questions to each pair of runs. A test file imports them, makes its pairs, and has KNOWN, a regular expression of the
findings that doc/found.md explains ("kind function site")."""

import re


def test_results_are_those_without_tools(pairs):
    assert {pair.name: pair.chained for pair in pairs} == {pair.name: pair.plain for pair in pairs}


def test_pmpi_tool_sees_the_calls_that_profile_counts(pairs):
    assert {pair.name: pair.member for pair in pairs} == {pair.name: pair.profiled for pair in pairs}


def test_findings_are_known(request, pairs):
    findings = {f"{pair.name}: {one['kind']} {one['function']} {one['site']}" for pair in pairs for one in pair.findings}
    assert {one for one in findings if not re.match(rf"[^:]+: (?:{request.module.KNOWN})", one)} == set()
