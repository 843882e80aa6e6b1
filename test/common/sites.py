# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Call sites and functions of a report of profile, and what programs with expected_calls.c print of theirs."""

import collections
from pathlib import Path


def functions(report):
    return {line["name"]: line for line in report["functions"]}


def numbers(line):
    return line["calls"], line["sent_bytes"], line["received_bytes"]


def none():
    return collections.defaultdict(lambda: (0, 0, 0))


def add(sums, key, values):
    sums[key] = tuple(a + b for a, b in zip(sums[key], values))


def expected_sites(output):
    """{(function, file, line): (calls, sent, received)} of the lines "call ..." of all processes."""
    sums = none()
    for line in output.splitlines():
        words = line.split()
        if words[:1] == ["call"]:
            add(sums, (words[1], Path(words[2]).name, int(words[3])), tuple(map(int, words[4:])))
    return dict(sums)


def found_sites(report, wanted):
    """The same of a report, for the functions that the program has expectations of."""
    known = {function for function, _, _ in wanted}
    sums = none()
    for site in report["sites"]:
        if site["function"] in known:
            place = site["path"][0]
            add(sums, (site["function"], Path(place.get("file", "")).name, place.get("line")), numbers(site))
    return dict(sums)
