# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Yorick, an interpreter, as Debian compiled it for its MPICH, and its own test of messages, broadcasts, reductions and
pools of tasks."""

import gzip
import re

import pytest

from questions import *     # noqa: F401, F403

pytestmark = [pytest.mark.hours]

PACKAGES = ["yorick-mpy-mpich2", "yorick-mpy-common", "yorick", "yorick-data"]
WHAT = "its own test of messages and pools of tasks"
# It never frees its communicator (see doc/found.md).
KNOWN = r"leak MPI_Comm_dup mpy_initialize "
RANKS = 4
RUN = 'mp_include, "testmp.i";\ntestmp;\nquit;\n'


def verdicts(text):
    return re.findall(r"testmp.*", text) + re.findall(r"mpool .*nerrors.*", text)


@pytest.fixture(scope="module")
def pairs(mpich_module, unpack, compare):
    root, variables = unpack(*PACKAGES)
    work, test = mpich_module.work, root / "share/doc/yorick-mpy-common/examples/testmp.i.gz"
    (work / "testmp.i").write_bytes(gzip.decompress(test.read_bytes()))
    (work / "run.i").write_text(RUN)
    return [compare(RANKS, root / "lib/yorick/bin/mpy.mpich2", "-batch", "run.i", results=verdicts, **variables)]
