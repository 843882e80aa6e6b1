# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Tests of the symbol checks with a made-up MPI library of three functions: does each fault give its message?"""

import hashlib
import os
import subprocess

import pytest

from symbols import checks

BASE_C = """\
struct info { int a; };
int MPI_One(int a, void *b) { return a; }
int PMPI_One(int a, void *b) { return a; }
double MPI_Two(void) { return 0; }
double PMPI_Two(void) { return 0; }
int MPI_Many(int level, ...) { return level; }
int PMPI_Many(int level, ...) { return level; }
int MPIR_Help(struct info *i) { return i->a; }
int MPIR_Data;
"""
QMPI_C = BASE_C + """\
int QMPI_One(int a, void *b) { return a; }
double QMPI_Two(void) { return 0; }
int QMPI_Many(int level, ...) { return level; }
int QMPI_Comm_c2f(int a) { return a; }
int MPI_Register_tool(int a) { return a; }
int PMPI_Register_tool(int a) { return a; }
int QMPI_Register_tool(int a) { return a; }
int QMPI_Old_name(int a) { return a; }
"""
FORTRAN_C = "".join(f"void {name}(void) {{}}\n" for name in (
    "mpi_one_ pmpi_one_ qmpi_one_ MPI_ONE PMPI_ONE QMPI_ONE mpi_one_f08_ pmpir_one_f08_ qmpir_one_f08_ "
    "mpi_two_f08ts_large_ pmpir_two_f08ts_large_ qmpir_two_f08ts_large_").split())
MPI_H = """\
#define MPI_Comm_c2f(comm) (int)(comm)
#ifdef __cplusplus
extern "C" {
#endif
int MPI_One(int a, void *b); int PMPI_One(int a, void *b);
double MPI_Two(void); double PMPI_Two(void);
int MPI_Many(int level, ...); int PMPI_Many(int level, ...);
#include <mpi_qmpi.h>
#ifdef __cplusplus
}
#endif
"""
MPI_QMPI_H = """\
typedef struct opaque *MPI_Context;
/* int MPI_In_a_comment(int a); */
#include <mpi_qmpi_proto.h>
int MPI_Register_tool(int a);
int PMPI_Register_tool(int a);
int QMPI_Register_tool(int a);
int QMPI_Old_name(int a);
"""
PROTO_H = """\
enum MPI_Functions_enum {
    MPI_ONE_T = 0,
    MPI_TWO_T = 1,
    MPI_MANY_T = 2,
    MPI_LAST_FUNC_T = 3
};
typedef int (MPI_One_t) (MPI_Context context, int tool_id, int a, void *b);
typedef double (MPI_Two_t) (MPI_Context context, int tool_id);
typedef int (MPI_Many_t) (MPI_Context context, int tool_id, int level, ...);
typedef MPI_One_t QMPI_One_t;
typedef MPI_Two_t QMPI_Two_t;
typedef MPI_Many_t QMPI_Many_t;
int QMPI_One(int a, void *b);
double QMPI_Two(void);
int QMPI_Many(int level, ...);
int QMPI_Comm_c2f(int a);
"""
REGISTRY = "# ids\n0 MPI_One\n1 MPI_Two\n2 MPI_Many\n"


def build_library(path, source, *options):
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-g", "-w", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", *options, "-o", path], input=source,
                   text=True, check=True)


@pytest.fixture(scope="module")
def base(work_module):
    build_library(work_module / "base/lib/libmpi.so", BASE_C)
    return work_module / "base"


def all_faults(installation):
    found = []
    for check in (installation.forms, installation.signatures, installation.functions_without_id,
                  installation.interface_with_id, installation.declared_but_not_exported,
                  installation.conversions_without_function, installation.registry_against_enum,
                  installation.registered_but_not_exported, installation.lost, installation.changed_kind,
                  installation.new_internals):
        found += check()[1]
    for binding in checks.FORTRAN_BINDINGS:
        found += installation.fortran_forms(binding)[1]
    found += installation.abi("libmpi.so")[1]
    found += ["registry: " + text for text in checks.numbering(installation.registry())[1]]
    found += ["enum: " + text for text in checks.numbering([(value, name) for name, value in installation.ids.items()])[1]]
    return found


@pytest.fixture
def expect(work, base):
    def expect(*wrong, **changes):
        """Replace texts in the named parts of the installation; the checks must give exactly these messages."""
        parts = {"library": QMPI_C, "proto": PROTO_H, "registry": REGISTRY, "qmpi_h": MPI_QMPI_H, "fortran": FORTRAN_C}
        for part, replacements in changes.items():
            for old, new in replacements.items():
                assert old in parts[part]
                parts[part] = parts[part].replace(old, new)
        checks.symbols_of.cache_clear()
        build_library(work / "lib/libmpi.so", parts["library"])
        build_library(work / "lib/libmpifort.so", parts["fortran"])
        files = {"include/mpi.h": MPI_H, "include/mpi_qmpi.h": parts["qmpi_h"], "include/mpi_qmpi_proto.h": parts["proto"],
                 "bin/mpicc": '#!/bin/sh\nexec cc "$@"\n', "bin/mpicxx": '#!/bin/sh\nexec c++ "$@"\n',
                 "registry": parts["registry"]}
        for name, text in files.items():
            (work / name).parent.mkdir(exist_ok=True)
            (work / name).write_text(text)
            os.chmod(work / name, 0o755)
        found = all_faults(checks.Installation(work, base, work / "registry"))
        missing = [text for text in wrong if not any(text in line for line in found)]
        assert missing == [], found
        assert len(found) == len(wrong), found
    return expect


def test_nothing_wrong(expect):
    expect()


def test_no_qmpi_form(expect):
    expect("QMPI_One is not exported, though MPI_One is", library={"int QMPI_One": "static int QMPI_One"})


def test_no_qmpi_form_in_fortran(expect):
    expect("qmpi_one_ is not exported, though pmpi_one_ is", fortran={" qmpi_one_(": " x("})


def test_no_qmpi_spelling_in_fortran(expect):
    expect("QMPI_ONE is not exported, though PMPI_ONE is", fortran={" QMPI_ONE(": " x("})


def test_no_qmpi_form_in_f08(expect):
    expect("qmpir_two_f08ts_large_ is not exported", fortran={" qmpir_two": " x"})


def test_no_mpi_form_in_f08(expect):
    expect("mpi_one_f08_ is not exported", fortran={" mpi_one_f08_(": " x("})


def test_no_pmpi_form(expect):
    expect("PMPI_Two is not exported", "PMPI_Two is exported by the base and no longer", "[D] 'function double PMPI_Two()'",
               library={"double PMPI_Two": "static double PMPI_Two"})


def test_interface_without_pmpi_form(expect):
    expect("PMPI_Register_tool is not exported, though", "PMPI_Register_tool is declared, but not exported",
               library={"int PMPI_Register_tool": "static int PMPI_Register_tool"})


def test_old_name_missing(expect):
    expect("QMPI_Old_name is declared, but not exported",
               library={"int QMPI_Old_name": "static int QMPI_Old_name"})


def test_no_form_of_a_macro(expect):
    expect("QMPI_Comm_c2f is not exported", library={"int QMPI_Comm_c2f": "static int QMPI_Comm_c2f"})


def test_wrong_type(expect):
    expect("function type MPI_One_t is missing or is not MPI_One",
               proto={"int a, void *b);\ntypedef double": "long a, void *b);\ntypedef double"})


def test_no_type(expect):
    expect("function type MPI_Two_t is missing", "function type QMPI_Two_t is missing",
               proto={"(MPI_Two_t)": "(MPI_Zwei_t)"})


def test_wrong_qmpi_arguments(expect):
    expect("QMPI_Many is not declared with the arguments", proto={"QMPI_Many(int level, ...)": "QMPI_Many(int level)"})


def test_new_function_without_anything(expect):
    expect("PMPI_New is not exported", "QMPI_New is not exported", "MPI_New has no id", "PMPI_New is not declared",
               "QMPI_New is not declared", "function type MPI_New_t is missing", "function type QMPI_New_t is missing", "MPI_New became visible",
               library={"int MPIR_Data;": "int MPIR_Data; int MPI_New(void) { return 0; }"})


def test_id_missing(expect):
    expect("MPI_Two has no id", "MPI_LAST_FUNC_T is 3, but 2", "enum: no function has the id 1",
               "MPI_Two is 1 in the registry and None",
               proto={"    MPI_TWO_T = 1,\n": ""})


def test_id_moved(expect):
    moved = {"0 MPI_One\n1 MPI_Two": "0 MPI_Two\n1 MPI_One"}
    expect("MPI_Two is 0 in the registry and 1", "MPI_One is 1 in the registry and 0", registry=moved)


def test_id_twice(expect):
    expect("registry: id 1 belongs to MPI_Two and to MPI_Many", "MPI_Many is 1 in the registry and 2",
           registry={"2 MPI_Many": "1 MPI_Many"})


def test_stranger_visible(expect):
    expect("MPIR_QMPI_secret became visible", library={"int MPIR_Data;": "int MPIR_Data, MPIR_QMPI_secret;"})


def test_base_symbol_gone(expect):
    expect("MPIR_Data is exported by the base and no longer", "[D] 'int MPIR_Data'", library={"int MPIR_Data;": ""})


def test_function_turned_data(expect):
    expect("MPIR_Help is of another kind", "[D] 'function int MPIR_Help",
               library={"int MPIR_Help(struct info *i) { return i->a; }": "int MPIR_Help;"})


def test_abi_changed(expect):
    expect("[C] 'function int MPIR_Help(info*)'", library={"struct info { int a; }": "struct info { int a, b; }"})


def test_base_as_installation(base):
    with pytest.raises(checks.Failure, match="mpi_qmpi.h is missing"):
        checks.Installation(base, base)


def test_needed_libraries(work):
    build_library(work / "libplain.so", "int a;")
    build_library(work / "libmore.so", "int a;", "-Wl,--no-as-needed", "-lm")
    assert checks.needed(work / "libmore.so") - checks.needed(work / "libplain.so") >= {"libm.so.6"}


def test_writable_code_is_found(work):
    build_library(work / "libgood.so", "int a = 1; int f(void) { return a; }")
    build_library(work / "libbad.so", '__attribute__((section("both,\\"awx\\"#"))) int a = 1;', "-Wl,-z,noseparate-code")
    assert checks.writable_code(work / "libgood.so") == []
    assert "section both" in checks.writable_code(work / "libbad.so")


def test_size_of_a_section(work):
    build_library(work / "libsmall.so", "char a[1];")
    build_library(work / "liblarge.so", "char a[100001];")
    more = checks.section_size(work / "liblarge.so", ".bss") - checks.section_size(work / "libsmall.so", ".bss")
    assert 100000 <= more <= 100040


def test_function_within_a_cache_line(work):
    build_library(work / "libx.so", "__attribute__((aligned(64))) int f(void) { return 1; } __attribute__((aligned(64)))"
                                    ' int g(void) { return 2; } __asm__(".globl h; .type h, @function; h = g + 8");')
    assert checks.within_a_line(checks.symbols_of(work / "libx.so"), ["f", "g", "h"]) == \
        (3, ["h begins 8 bytes after a cache line"])


def test_versions_compare_as_numbers(work):
    for version in ("12.9.0", "12.10.0"):
        (work / f"libx.so.{version}").touch()
        (work / f"libx-{version}.so").symlink_to(f"libx.so.{version}")
    assert checks.file_version(work / "libx-12.10.0.so") > checks.file_version(work / "libx-12.9.0.so")


def test_frozen_ids_are_the_first():
    ids = [(0, "MPI_One"), (1, "MPI_Two")]
    sha256 = hashlib.sha256(b"0 MPI_One\n").hexdigest()
    assert checks.frozen(ids, 1, sha256) == (1, [])
    assert checks.frozen([(0, "MPI_Two"), *ids], 1, sha256)[1] and checks.frozen([], 1, sha256)[1]
