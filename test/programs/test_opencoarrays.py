# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""OpenCoarrays' own test programs, as Debian compiled them for its MPICH: Fortran's coarrays by one-sided operations under
shared locks. Each says itself whether it passed; those that pass without tools must pass with them."""

import re
from collections import Counter

import pytest

from questions import *     # noqa: F401, F403

pytestmark = [pytest.mark.hours]

PACKAGES = ["libcoarrays-mpich-dev", "libcaf-mpich-3"]
WHAT = "the {} test programs that pass without tools"
IMAGES = [4, 2, 8]
# Each image sends that it has stopped, and not all receive it, or complete the receive; operations and teams are not freed
# (see doc/found.md).
KNOWN = "message not received MPI_Send |possible deadlock MPI_Send |pending request MPI_Irecv |leak MPI_Op_create |leak MPI_Comm_split "


def words(text):
    return Counter(re.findall("pass|fail", text.lower()))


@pytest.fixture(scope="module")
def pairs(mpich_module, unpack, compare):
    root, variables = unpack(*PACKAGES)
    found = []
    for program in sorted(root.glob("lib/*/open-coarrays/mpich/bin/OpenCoarrays-*-tests/*")):
        for number in IMAGES:
            result = mpich_module.mpiexec(number, program, seconds=30, may_time_out=True, **variables)
            if result.status == 0 and set(words(result.out)) == {"pass"}:
                found.append(compare(number, program, results=words, **variables))
                break
    assert len(found) > 50
    return found
