# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Debian's test programs of ScaLAPACK, PBLAS and BLACS, as Debian compiled them for its MPICH. They check their own
numbers: the results with a chain of tools must be those without."""

import json
import re
from collections import Counter

import pytest

pytestmark = [pytest.mark.hours]

PACKAGES = ["scalapack-mpi-test", "scalapack-test-common", "libscalapack-mpich2.2", "libblas3", "liblapack3"]
RANKS = 4
KINDS = "lu dblu dtlu gblu llt pbllt ptllt inv ls qr hrd trd brd sep gsep nep".split()
SCALAPACK = ([f"x{precision}{kind}" for kind in KINDS for precision in "sdcz"] +
             "xssvd xdsvd xssyevr xdsyevr xcheevr xzheevr xcevc xzevc xshseqr xdhseqr".split())
PBLAS = [f"PBLAS/{precision}pb{level}tst" for level in "123" for precision in "sdcz"]
BLACS = ["BLACS/xCbtest", "BLACS/xFbtest"]
# They do not end without QMPI either (see doc/found.md).
HANGING = ["xsllt", "xdllt"]


@pytest.fixture(scope="module")
def programs(unpack):
    """(folder of the programs, variables to run them)"""
    root, variables = unpack(*PACKAGES)
    return next(root.glob("lib/*/scalapack/mpich-tests")), variables


def verdicts(text):
    """Numbers of tests and what became of them, without times. Lines of two processes can be one. BLACS's test of
    repeatable sums passes in some runs only, without tools too."""
    return Counter(re.findall(r"\d+ tests (?:completed|skipped)[a-z ]*|passed|PASSED(?! +REPEATABLE)|failed|FAILED", text))


def is_known(finding):
    """The combine operations of BLACS post a receive into the buffer that they then send (see doc/found.md)."""
    return (finding["kind"] == "buffer overlap" and finding["function"] == "MPI_Send" and
            re.match(r"BI_(Tree|Be)Comb ", finding["site"]))


@pytest.mark.parametrize("name", [name for name in SCALAPACK + PBLAS + BLACS if name not in HANGING])
def test_numbers_are_those_without_tools(mpich, programs, name):
    folder, variables = programs
    program = folder / name
    results = [mpich.mpiexec(RANKS, program, tools=tools, cwd=program.parent, seconds=900, **variables)
               for tools in ("", f"profile(out={mpich.work}/p),check(out={mpich.work}/c),messages(out={mpich.work}/m)")]
    # The last test of BLACS aborts the job.
    assert [result.status for result in results] == [255 if name in BLACS else 0] * 2, results
    assert verdicts(results[0].out) and verdicts(results[0].out) == verdicts(results[1].out)
    written = mpich.work / "c.json"
    report = written.read_text() if name not in BLACS else mpich.run("qmpi_report", "json", mpich.work / "c.records").out
    findings = json.loads(report)["findings"]
    assert [finding for finding in findings if not is_known(finding)] == []


@pytest.mark.parametrize("name", HANGING)
def test_check_ends_a_program_that_hangs(mpich, programs, name):
    folder, variables = programs
    result = mpich.mpiexec(RANKS, folder / name, tools=f"check(out={mpich.work}/c,deadlock=abort)", cwd=folder, seconds=900,
                           **variables)
    report = json.loads(mpich.run("qmpi_report", "json", mpich.work / "c.records").out)
    assert result.status not in (0, 124) and "deadlock" in {one["kind"] for one in report["findings"]}, result
