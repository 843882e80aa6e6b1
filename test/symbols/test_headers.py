# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""mpi.h, and mpi_abi.h with mpi_qmpi.h, as compilers, C parsers and generators of bindings read them.

The headers of the base have no warnings by these compilers. LLNL's wrap.py: test_symbols.py.
"""

import re

import pytest

from symbols import checks

try:
    import cffi
except ImportError:
    cffi = None

WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]


@pytest.fixture(scope="module", params=[["mpi.h"], ["mpi_abi.h", "mpi_qmpi.h"]], ids=["mpi.h", "mpi_abi.h"])
def headers(request, mpich_module):
    if not (mpich_module.include / request.param[0]).exists():
        pytest.skip("no library of the MPI ABI")
    return request.param


def including(headers, word="#include"):
    return "".join(f"{word} <{header}>\n" for header in headers)


@pytest.mark.parametrize("standard", ["c99", "c11", "c17"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_c_compiler_has_no_warning(mpich, needs, headers, compiler, standard):
    needs(compiler)
    result = mpich.run(compiler, f"-std={standard}", *WARNINGS, "-Wstrict-prototypes", f"-I{mpich.include}", "-xc", "-",
                       stdin=including(headers))
    assert (result.status, result.err) == (0, ""), result


@pytest.mark.parametrize("standard", ["c++11", "c++14", "c++17", "c++20"])
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_cxx_compiler_has_no_warning(mpich, needs, headers, compiler, standard):
    needs(compiler)
    result = mpich.run(compiler, f"-std={standard}", *WARNINGS, f"-I{mpich.include}", "-xc++", "-", stdin=including(headers))
    assert (result.status, result.err) == (0, ""), result


@pytest.fixture(scope="module")
def preprocessed(mpich_module, headers):
    """Text of the header without attributes, as users of C parsers make it."""
    result = mpich_module.run("gcc", "-E", "-P", "-D__attribute__(x)=", f"-I{mpich_module.include}", "-xc", "-",
                              stdin=including(headers))
    assert result.status == 0, result
    return result.out


# ---- each returns the names that the reader finds, and its messages ----

def read_by_cffi(mpich, needs, headers, text):
    if not cffi:
        pytest.fail("this test needs the Python module cffi (package python3-cffi)", pytrace=False)
    parser = cffi.FFI()
    parser.cdef(text)
    return set(dir(parser.dlopen(None))), ""


def read_by_swig(mpich, needs, headers, text):
    needs("swig")
    (mpich.work / "names.i").write_text("%module names\n" + including(headers, "%include"))
    result = mpich.run("swig", "-python", "-includeall", "-ignoremissing", f"-I{mpich.include}", "names.i")
    assert result.status == 0, result
    return set(re.findall(r"\b_wrap_(\w+)\(", (mpich.work / "names_wrap.c").read_text())), result.err


def read_by_bindgen(mpich, needs, headers, text):
    needs("bindgen")
    (mpich.work / "names.h").write_text(including(headers))
    result = mpich.run("bindgen", "names.h", "--", f"-I{mpich.include}")
    assert result.status == 0, result
    return set(re.findall(r"\bpub fn (\w+)\(", result.out)), result.err


@pytest.fixture(scope="module", params=[read_by_cffi, read_by_swig, read_by_bindgen], ids=["cffi", "swig", "bindgen"])
def reading(request, mpich_module, needs, headers, preprocessed):
    return request.param(mpich_module, needs, headers, preprocessed)


def test_reader_finds_every_function(reading, preprocessed):
    declared = checks.declared_functions(preprocessed)
    assert {"MPI_Send", "PMPI_Send", "QMPI_Send", "MPIX_Register_tool"} <= declared
    assert sorted(declared - reading[0]) == []


def test_reader_has_no_message_about_the_headers_of_qmpi(reading):
    """SWIG has some about mpi.h of the base."""
    assert [line for line in reading[1].splitlines() if "mpi_qmpi" in line] == []
