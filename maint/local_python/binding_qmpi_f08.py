##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

"""What QMPI adds to mpi_f08. gen_binding_f08.py runs with -qmpi if the library has QMPI.

MPI_X, PMPI_X and QMPI_X of mpi_f08 are three Fortran procedures, MPIR_MPI_X_f08, MPIR_PMPI_X_f08 and
MPIR_QMPI_X_f08, that call the C function of that name. In front of each is an entry in C that has
the external name of MPICH's procedure and notes the call site: Fortran has no means to get it.
"""

from local_python import MPI_API_Global as G
from local_python import binding_f08 as f08
from local_python.binding_c import dump_c_file
from local_python.binding_common import get_function_name, get_kind_map, split_line_with_break

# prefixes of MPI_X
FORMS = ["", "P", "Q"]

# what procedures ask the library for the length of an array argument
QUERIES = ["MPI_Comm_size", "MPI_Cartdim_get", "MPI_Dist_graph_neighbors_count"]

def form_of(func, prefix):
    """The description of a function that makes MPICH's generator emit one of the three forms."""
    return dict(func, _prefix=prefix, _c_prefix="MPIR_%sMPI_" % prefix, _f08_prefix="MPIR_" + prefix,
                _attr_prefix="MPII_QMPI_" if prefix == "Q" else "MPII_")

def with_external_name(func, prefix):
    """MPI_X, PMPIR_X or QMPIR_X, the names that the modules give to the linker."""
    if not prefix:
        return func
    return dict(func, name=func['name'].replace("MPI", prefix + "MPI", 1).replace("_", "R_", 1))

def name_procedures(func_list):
    """Makes MPICH's own output the form of MPI_X."""
    if 'qmpi' in G.opts:
        func_list[:] = [form_of(func, "") for func in func_list]

def dump_queries():
    if 'qmpi' in G.opts:
        for name in QUERIES:
            func = G.FUNCS[name.lower()]
            f08.dump_interface_function(func, f08.get_f08_c_name(func, False), "Q" + name, False)

def dump_f08(func_list, path="src/qmpi/f08"):
    if 'qmpi' not in G.opts:
        return
    G.check_write_path(path + "/")
    sized = [(f, large) for f in func_list for large in ([False, True] if f['_need_large'] else [False])]
    forms = {prefix: [(form_of(f, prefix), large) for f, large in sized] for prefix in FORMS}
    dump_entries_c("%s/f08_entries.c" % path, forms)
    dump_cdesc_c("%s/qf08_cdesc.c" % path, forms)
    dump_c_interface("%s/qmpi_c_interface.f90" % path, forms)
    dump_procedures("src/binding/fortran/use_mpi_f08/wrappers_f/pf08ts.f90", forms["P"])
    dump_procedures("%s/qf08ts.f90" % path, forms["Q"])
    dump_module("%s/qmpi_f08.f90" % path, func_list)

# ---- entries ----

def dump_entries_c(path, forms):
    num_args = 0
    entries = []
    for prefix in forms:
        for func, is_large in forms[prefix]:
            get_name = f08.get_f08ts_name if f08.need_cdesc(func) else f08.get_f08_name
            n = count_arguments(func, is_large)
            num_args = max(num_args, n)
            id = "NO_NOTE"
            if prefix != "Q" and func['name'] != "MPI_F_sync_reg":
                id = get_function_name(func, is_large).upper() + "_T"
            kind = "SUBROUTINE("
            if 'return' in func:
                kind = "FUNCTION(%s, " % get_kind_map('C', is_large)[func['return']]
            entry = get_name(with_external_name(func, prefix), is_large)
            procedure = func['_f08_prefix'] + get_name(func, is_large)
            names = [entry.lower(), entry.upper(), procedure.lower(), procedure.upper()]
            entries += split_line_with_break("%s%s, %d, %s)" % (kind, id, n, ', '.join(names)), "", 100)
    out = ["#include \"mpi_fortimpl.h\"", "",
           "/* All arguments are pointers, but for the lengths of strings, which follow them and are passed in",
           " * the same way. */", "",
           "#define NO_NOTE -1", "",
           ]
    for n in range(num_args + 1):
        params = ["void *a%d" % i for i in range(n)]
        args = ["a%d" % i for i in range(n)]
        out += ["#define PARAMS_%d %s" % (n, ', '.join(params) or "void"),
                "#define ARGS_%d %s" % (n, ', '.join(args))]
    out += ["",
            "#define PROCEDURE(type_, return_, id_, n_, entry_, procedure_) \\",
            "    __attribute__((visibility(\"hidden\"))) type_ procedure_(PARAMS_ ## n_); \\",
            "    FORT_DLL_SPEC MPIR_QMPI_ENTRY type_ entry_(PARAMS_ ## n_); \\",
            "    type_ entry_(PARAMS_ ## n_) \\",
            "    { \\",
            "        if (id_ != NO_NOTE) \\",
            "            MPIR_QMPI_NOTE(id_); \\",
            "        return_ procedure_(ARGS_ ## n_); \\",
            "    }",
            "#define SUBROUTINE(id_, n_, entry_, ENTRY_, procedure_, PROCEDURE_) \\",
            "    PROCEDURE(void, , id_, n_, MPIR_QMPI_FORTRAN_NAME(entry_, ENTRY_), \\",
            "              MPIR_QMPI_FORTRAN_NAME(procedure_, PROCEDURE_))",
            "#define FUNCTION(type_, id_, n_, entry_, ENTRY_, procedure_, PROCEDURE_) \\",
            "    PROCEDURE(type_, return, id_, n_, MPIR_QMPI_FORTRAN_NAME(entry_, ENTRY_), \\",
            "              MPIR_QMPI_FORTRAN_NAME(procedure_, PROCEDURE_))",
            ""]
    dump_c_file(path, out + entries)

def count_arguments(func, is_large):
    mapping = get_kind_map('F08', is_large)
    params = [p for p in func['parameters'] if not f08.f08_param_need_skip(p, mapping)]
    strings = [p for p in params if f08.get_F_decl(p, mapping).startswith("CHARACTER")]
    ierror = 0 if 'return' in func else 1
    return len(params) + ierror + len(strings)

# ---- C functions that the procedures call ----

def dump_cdesc_c(path, forms):
    """Functions with choice buffers of PMPI_X and QMPI_X; MPICH's file is that of MPI_X."""
    (G.out, G.decls) = ([], [])
    for prefix in ["P", "Q"]:
        for func, is_large in forms[prefix]:
            if f08.need_cdesc(func):
                G.out.append("")
                f08.dump_f08_wrappers_c(func, is_large)
    lines = [decl + ";" for decl in G.decls] + G.out
    for name in ["Comm_spawn", "Comm_spawn_multiple"]:
        for prefix in forms:
            lines += ["",
                      "#define MPIR_%s_c MPIR_%sMPI_%s_c" % (name, prefix, name),
                      "#define PMPI_%s %sMPI_%s" % (name, prefix, name),
                      "#include \"%s_c.c\"" % name.lower(),
                      "#undef MPIR_%s_c" % name,
                      "#undef PMPI_" + name]
    f08.dump_cdesc_c(path, lines)

def dump_c_interface(path, forms):
    G.out = []
    f08.dump_interface_module_open("qmpi_c_interface")
    dump_queries()
    for prefix in ["P", "Q"]:
        for func, is_large in forms[prefix]:
            if f08.need_cdesc(func):
                f08.dump_mpi_c_interface_cdesc(func, is_large)
            else:
                f08.dump_mpi_c_interface_nobuf(func, is_large)
    f08.dump_interface_module_close("qmpi_c_interface")
    f08.dump_f90_file(path, G.out)

# ---- Fortran ----

def dump_procedures(path, functions):
    G.out = []
    for func, is_large in functions:
        f08.dump_f08_wrappers_f(func, is_large)
    lines = [l.replace("USE :: mpi_c_interface,", "USE :: qmpi_c_interface,") for l in G.out]
    f08.dump_f90_file(path, lines)

def dump_module(path, func_list):
    G.out = []
    f08.dump_F_module_open("qmpi_f08")
    G.out += ["USE,intrinsic :: iso_c_binding, ONLY: c_ptr",
              "USE :: mpi_f08_types, QMPI_Sizeof => MPI_Sizeof"]
    G.out += ["USE :: mpi_f08_" + m for m in ("compile_constants", "link_constants", "callbacks")]
    G.out.append("IMPLICIT NONE")
    for func in func_list:
        sizes = [False, True] if func['_need_large'] else [False]
        if '_need_large_separate' in func:      # no argument tells the two apart
            dump_interface(func, False, [False])
            dump_interface(func, True, [True])
        else:
            dump_interface(func, False, sizes)
    f08.dump_F_module_close("qmpi_f08")
    f08.dump_f90_file(path, G.out)

def dump_interface(func, is_large, sizes):
    name = "Q" + get_function_name(func, is_large)
    G.out += ["", "INTERFACE " + name, "INDENT"]
    for size in sizes:
        f08.dump_mpi_f08(with_external_name(func, "Q"), size)
    G.out += ["DEDENT", "END INTERFACE " + name]
