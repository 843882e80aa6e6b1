# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Debian's test programs of ScaLAPACK, PBLAS and BLACS, as Debian compiled them for its MPICH. They check their own
numbers."""

import re
from collections import Counter

import pytest

from questions import *     # noqa: F401, F403

pytestmark = [pytest.mark.hours]

PACKAGES = ["scalapack-mpi-test", "scalapack-test-common", "libscalapack-mpich2.2", "libblas3", "liblapack3"]
WHAT = "{} programs"
# The combine operations of BLACS post a receive into the buffer that they then send (see doc/found.md).
KNOWN = r"buffer overlap MPI_Send BI_(Tree|Be)Comb "
RANKS = 4
KINDS = "lu dblu dtlu gblu llt pbllt ptllt inv ls qr hrd trd brd sep gsep nep".split()
SCALAPACK = ([f"x{precision}{kind}" for kind in KINDS for precision in "sdcz"] +
             "xssvd xdsvd xssyevr xdsyevr xcheevr xzheevr xcevc xzevc xshseqr xdhseqr".split())
PBLAS = [f"PBLAS/{precision}pb{level}tst" for level in "123" for precision in "sdcz"]
TIMING = [f"PBLAS/TIMING/{precision}pb{level}tim" for level in "123" for precision in "sdcz"]
BLACS = ["BLACS/xCbtest", "BLACS/xFbtest"]
# They do not end without QMPI either (see doc/found.md).
HANGING = ["xsllt", "xdllt"]
# Their results differ from run to run, without tools too: a residual of xdsep, which depends on the order in which BLACS
# adds what arrives, can exceed its bound, and tests of xcheevr can fail (see doc/found.md).
UNSTEADY = ["xdsep", "xcheevr"]
# Asks for the same order in each run.
REPEATABLE = """
#define _GNU_SOURCE
#include <dlfcn.h>

void blacs_gridinit_(int *context, const char *order, const int *rows, const int *columns, long length)
{
    void (*gridinit)(int *, const char *, const int *, const int *, long) = dlsym(RTLD_NEXT, "blacs_gridinit_");
    void (*set)(const int *, const int *, const int *) = dlsym(RTLD_NEXT, "blacs_set_");
    const int repeatability = 15, is_wanted = 1;

    gridinit(context, order, rows, columns, length);
    if (*context >= 0)
        set(context, &repeatability, &is_wanted);
}
"""


@pytest.fixture(scope="module")
def programs(unpack):
    """(folder of the programs, variables to run them)"""
    root, variables = unpack(*PACKAGES)
    return next(root.glob("lib/*/scalapack/mpich-tests")), variables


def verdicts(text):
    """Results of the tests, and functions of which a time is known. Lines of two processes can be one. BLACS's test of
    repeatable sums passes in some runs only, without tools too."""
    found = re.findall(r"(\d+) (tests (?:completed|skipped)[a-z ]*)|(passed|PASSED(?! +REPEATABLE)|failed|FAILED)|"
                       r"P[SDCZ][A-Z0-9]+ +\d+\.\d+ ", text)
    return sum((Counter({words or word or "times": int(number or 1)}) for number, words, word in found), Counter())


@pytest.fixture(scope="module", params=[name for name in SCALAPACK + PBLAS + TIMING + BLACS if name not in HANGING])
def pairs(request, mpich_module, programs, compare):
    folder, variables = programs
    program = folder / request.param
    if request.param in UNSTEADY:
        variables = {**variables, "LD_PRELOAD": mpich_module.library(REPEATABLE, "-ldl", name="repeatable.c")}
    # The last test of BLACS aborts the job.
    return [compare(RANKS, program, results=verdicts, cwd=program.parent, status=255 if request.param in BLACS else 0, **variables)]


@pytest.mark.parametrize("name", HANGING)
def test_check_ends_a_program_that_hangs(mpich, programs, name):
    folder, variables = programs
    result = mpich.mpiexec(RANKS, folder / name, tools=f"check(out={mpich.work}/c,deadlock=abort)", cwd=folder, seconds=900,
                           **variables)
    report = mpich.report(mpich.work / "c.records")
    assert result.status not in (0, 124) and "deadlock" in {one["kind"] for one in report["findings"]}, result
