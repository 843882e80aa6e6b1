# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""HDF5's own parallel tests, compiled from Debian's source, on HDF5 as Debian compiled it for its MPICH. They use MPI-IO with
derived types, and say which of them passed."""

import re
from collections import Counter

import pytest

from questions import test_findings_are_known, test_results_are_those_without_tools     # noqa: F401

pytestmark = [pytest.mark.hours]

PACKAGES = ["libhdf5-mpich-103-1"]
WHAT = "{} programs of its parallel tests"
# t_mpi frees no datatype (see doc/found.md).
KNOWN = r"leak MPI_Type_create_(hindexed|struct) t_mpi\.c:"
SOURCE = ("libhdf5-mpich-103-1", "hdf5_1.10.8+repack1.orig.tar.gz", "7b38e58ff83b13fd8959a90b13bf896bc318ba096c940ab0847abf3ad41a0b31")
RANKS = 4
# t_prestart removes the file of t_pshutdown that it reads. t_cache_image starts a process of its own that calls MPI_Init, which
# fails under mpiexec. t_cache and t_shapesame take many minutes.
PROGRAMS = ["t_mpi", "t_pread", "t_pshutdown", "t_init_term", "t_filters_parallel", "t_bigio", "testphdf5"]
# The other sources of the folder belong to testphdf5.
ALONE = {*PROGRAMS, "t_prestart", "t_cache", "t_cache_image", "t_pflush1", "t_pflush2", "t_shapesame"} - {"testphdf5"}


def verdicts(text):
    """Lines of several processes can be one."""
    return Counter({"tests": len(re.findall("Testing|\\*\\*\\* MPIO|PASSED", text)), "errors": len(re.findall("FAILED|ERROR", text))})


@pytest.fixture(scope="module")
def pairs(mpich_module, source, compare):
    mpich = mpich_module
    flags = mpich.run("pkg-config", "--cflags-only-I", "--libs-only-L", "hdf5-mpich")
    if flags.status != 0:
        pytest.fail("this test needs HDF5 for MPICH (package libhdf5-mpich-dev)", pytrace=False)
    folder, names = source(*SOURCE), mpich.debian_names()
    # -I and -L of MPICH itself, which follow, would lead to Debian's.
    include, lib = (re.search(rf"-{letter}(\S+)", flags.out)[1] for letter in "IL")
    (folder / "test/H5srcdir_str.h").write_text('static const char *config_srcdir = ".";\n')
    options = ["-w", *(f"-I{folder / part}" for part in ("src", "test", "testpar")), f"-I{include}", f"-L{lib}", "-lhdf5", "-lm",
               f"-Wl,-rpath-link,{names}"]
    common = mpich.library(folder / "test/h5test.c", folder / "test/testframe.c", folder / "test/cache_common.c", *options)
    parts = {"testphdf5": [file for file in sorted((folder / "testpar").glob("t_*.c")) if file.stem not in ALONE]}
    return [compare(RANKS, mpich.program(folder / f"testpar/{name}.c", *parts.get(name, []), common, *options), results=verdicts,
                    LD_LIBRARY_PATH=f"{names}:{mpich.lib}:{lib}") for name in PROGRAMS]


def test_pmpi_tool_sees_the_calls_that_profile_counts(pairs):
    # These two make calls in and after MPI_Finalize, when profile has ended.
    compared = [pair for pair in pairs if pair.name not in ("t_pshutdown", "t_init_term")]
    assert {pair.name: pair.member for pair in compared} == {pair.name: pair.profiled for pair in compared}
