# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Calls from Fortran as tools and PMPI wrappers in C see them, with their arguments, and callbacks given in Fortran."""

import gzip
import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
# mpif.h checks nothing: calls.F90 gives buffers of several types to one routine.
BINDINGS = {"MPIF_H": ["-fallow-argument-mismatch"], "USE_MPI": ["-fallow-argument-mismatch"], "USE_MPI_F08": []}
# Checks that the programs make at least
CALLS = {"MPIF_H": 80, "USE_MPI": 80, "USE_MPI_F08": 76}
CALLBACKS = 18


def checks(result):
    """(passed, failed) that the program printed."""
    assert result.status == 0, repr(result)
    counts = re.findall(r"^(\d+) passed, (\d+) failed$", result.out, re.M)
    assert counts, repr(result)
    return tuple(map(int, counts[-1]))


@pytest.mark.parametrize("binding", BINDINGS)
def test_calls_are_seen_once_and_unchanged(mpich, binding):
    tool = mpich.library(HERE / "record.cpp", "-std=c++17")
    program = mpich.work / "calls"
    done = mpich.run(mpich.bin / "mpifort", "-g", "-O1", *BINDINGS[binding], f"-D{binding}", f"-J{mpich.work}",
                     HERE / "calls.F90", "-o", program, tool, f"-Wl,-rpath,{tool.parent}")
    assert done.status == 0, repr(done)
    result = mpich.mpiexec(1, program, tools="record", LD_PRELOAD=tool)
    passed, failed = checks(result)
    assert failed == 0, repr(result)
    assert passed >= CALLS[binding], repr(result)


@pytest.mark.parametrize("binding", BINDINGS)
def test_callbacks_work_below_and_above_tools(mpich, binding):
    passall = mpich.library(HERE.parent / "mpi/qmpi/passall.c")
    # ends the program if it sees a call that the library makes inside another call
    nested = mpich.library(HERE.parent / "suite/nested.cpp", "-std=c++17", "-DMPICH_SKIP_MPICXX")
    program = mpich.work / "callbacks"
    done = mpich.run(mpich.bin / "mpifort", "-g", "-O1", "-fallow-argument-mismatch", f"-D{binding}",
                     f"-J{mpich.work}", *["-DLACKS_CONVERSION_FN_NULL"] * (mpich.version < (5,)),
                     HERE / "callbacks.F90", "-o", program)
    assert done.status == 0, repr(done)
    result = mpich.mpiexec(2, program, tools="passall,nested,passall", LD_PRELOAD=f"{passall}:{nested}")
    passed, failed = checks(result)
    assert failed == 0, repr(result)
    assert passed >= CALLBACKS, repr(result)


@pytest.mark.parametrize("module, names", [("mpi", ["MPI_Sizeof", "QMPI_Sizeof"]), ("mpi_f08", ["MPI_Sizeof"])])
def test_sizeof_has_its_names(mpich, module, names):
    """A renamed generic procedure loses its own name."""
    calls = "".join(f"  call {name}(value, size, ierror)\n  print *, size\n" for name in names)
    text = (f"program sizes\n  use {module}\n  implicit none\n  integer :: size, ierror\n  double precision :: value\n"
            f"{calls}end program\n")
    program = mpich.program(text, name="sizes.F90")
    assert mpich.run(program).out.split() == ["8"] * len(names)


@pytest.mark.parametrize("module", ["mpi", "mpi_f08"])
def test_module_has_the_names_of_the_base(mpich, base, module):
    def names(installation):
        text = gzip.decompress((installation.prefix / f"include/{module}.mod").read_bytes()).decode()
        return set(re.findall(r"'([a-z0-9_]+)'", text))     # names of C functions have capitals

    assert len(names(base)) > 400
    assert names(base) - names(mpich) == set()
