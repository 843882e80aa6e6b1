# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""NetPIPE as Debian compiled it for its MPICH: its own check that messages of each size arrive unchanged."""

import re

import pytest

from questions import *     # noqa: F401, F403

pytestmark = [pytest.mark.hours]

PACKAGES = ["netpipe-mpich2"]
WHAT = "messages of each size arrive unchanged"
KNOWN = "(?!)"


def sizes(text):
    return re.findall(r"(\d+) bytes +\d+ times --> +Integrity check passed", text)


@pytest.fixture(scope="module")
def pairs(unpack, compare):
    root, variables = unpack(*PACKAGES)
    return [compare(2, root / "bin/NPmpich2", "-i", "-u", 200000, "-n", 5, results=sizes, **variables)]
