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


def compile(mpich, binding, name, *options):
    program = mpich.work / name
    done = mpich.run(mpich.bin / "mpifort", "-g", "-O1", "-fallow-argument-mismatch", f"-D{binding}", *options,
                     f"-J{mpich.work}", HERE / f"{name}.F90", "-o", program)
    assert done.status == 0, repr(done)
    return program


@pytest.mark.parametrize("binding", BINDINGS)
def test_callbacks_work_below_and_above_tools(mpich, binding):
    passall = mpich.library(HERE.parent / "mpi/qmpi/passall.c")
    # ends the program if it sees a call that the library makes inside another call
    nested = mpich.library(HERE.parent / "suite/nested.cpp", "-std=c++17", "-DMPICH_SKIP_MPICXX")
    program = compile(mpich, binding, "callbacks", *["-DLACKS_CONVERSION_FN_NULL"] * (mpich.version < (5,)))
    result = mpich.mpiexec(2, program, tools="passall,nested,passall", LD_PRELOAD=f"{passall}:{nested}")
    passed, failed = checks(result)
    assert failed == 0, repr(result)
    assert passed >= CALLBACKS, repr(result)


@pytest.fixture
def replaces(mpich):
    return mpich.library(HERE / "replaces.c")


def created(result):
    """{function with a callback: calls that the tool of replaces.c saw}"""
    return {name: int(calls) for name, calls in re.findall(r"^saw (\w+) (\d+)$", result.out, re.M)}


@pytest.mark.parametrize("binding", BINDINGS)
def test_callbacks_are_seen_as_those_of_the_function_that_the_program_names(mpich, replaces, binding):
    program = compile(mpich, binding, "callbacks", *["-DLACKS_CONVERSION_FN_NULL"] * (mpich.version < (5,)))
    result = mpich.mpiexec(2, program, tools="replaces", LD_PRELOAD=replaces)
    passed, failed = checks(result)
    assert failed == 0 and passed >= CALLBACKS, repr(result)
    assert created(result) == {f"MPI_{kind}_create_errhandler": 1 for kind in ("Comm", "File", "Win")} | {"MPI_Op_create": 1}


@pytest.mark.parametrize("binding", BINDINGS)
def test_what_a_tool_replaces_reaches_the_program(mpich, replaces, binding):
    result = mpich.mpiexec(1, compile(mpich, binding, "replaced"), tools="replaces", LD_PRELOAD=replaces)
    assert checks(result)[1] == 0 and "tool: 0 wrong" in result.out, repr(result)
    old = {"MPI_Errhandler_create": 1} if binding == "MPIF_H" else {}
    assert created(result) == {"MPI_Comm_create_errhandler": 1, "MPI_Session_create_errhandler": 1,
                               "MPI_Op_create": 2, **old}


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


def test_use_mpi_has_a_qmpi_form_of_each_pmpi_form(mpich):
    """mpi_f08 has them in modules of its own."""
    text = gzip.decompress((mpich.prefix / "include/mpi.mod").read_bytes()).decode()
    forms = {prefix: {name[1:] for name in re.findall(r"'([a-z0-9_]+)'", text) if re.match(f"{prefix}mpix?_", name)} for prefix in "pq"}
    assert {"mpi_wtime", "mpi_wtick"} <= forms["p"] <= forms["q"]
    assert {"mpi_aint_add", "mpi_aint_diff", "mpi_sizeof"} <= forms["q"]
