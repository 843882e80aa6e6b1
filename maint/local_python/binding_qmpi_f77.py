##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

"""What QMPI adds to mpif.h and use mpi: the QMPI_ forms, and libmpi's entries for attributes."""

import importlib.util
import inspect
import os
import re

from local_python import MPI_API_Global as G
from local_python import binding_f77 as f77
from local_python.binding_c import dump_c_file, get_polymorph_param_and_arg
from local_python.binding_common import get_function_name, get_kind_map, split_line_with_break
from local_python.binding_qmpi import Function

# of the releases whose library calls Fortran callbacks through C functions
PROXIES = "src/binding/fortran/mpif_h/user_proxy.c"

F90_MODULE = "src/qmpi/use_mpi/qmpi_base.f90"

def dump_f77(func_list):
    dump_qmpi_forms("src/qmpi/fortran_qmpi.c", func_list)
    attributes = [AttributeFunction(f) for key, f in sorted(G.FUNCS.items()) if 'polymorph' in f]
    dump_attr_h("src/include/mpir_qmpi_attr.h", attributes)
    dump_attr_c("src/qmpi/fortran_attr.c", attributes)
    if not importlib.util.find_spec("local_python.binding_f90"):
        dump_f90_functions(func_list)

def dump_qmpi_forms(path, func_list):
    """MPICH's Fortran functions once more as qmpi_x_, which call QMPI_X."""
    (saved, saved_profile) = (G.out, G.profile_out)
    (G.out, G.profile_out) = ([], [])
    names = []
    for func in func_list:
        names.append("q" + get_function_name(func).lower())
        G.out.append("")
        f77.dump_f77_c_func(dict(func, _prefix="Q"))
        # the specific procedure with a TYPE(C_PTR), in releases that have a C function for it
        if 'is_cptr' in inspect.signature(f77.dump_f77_c_func).parameters and any(p['kind'] == "C_BUFFER" for p in func['parameters']):
            names.append(names[-1] + "_cptr")
            f77.dump_f77_c_func(dict(func, _prefix="Q"), True)
    proxies = callback_proxies()
    lines = ["#define MPIR_QMPI_BYPASS"]
    lines += ["#define %s %s" % (name, name.replace("MPII_", "MPII_QMPI_", 1)) for name in proxies]
    lines += ["#include \"mpi_fortimpl.h\"",
             "",
             "#include \"mpir_qmpi_direct.h\"",
             "",
             "/* the compiler knows a function by one of these names; the others are aliases of it */",
             "#if defined(USE_WEAK_SYMBOLS) && defined(HAVE_MULTIPLE_PRAGMA_WEAK)",
             "#define PRAGMA(text_) _Pragma(#text_)",
             "#else",
             "#define PRAGMA(text_)",
             "#endif",
             "#define ALIASES_2(name1_, name2_, name3_, own_) \\",
             "    PRAGMA(weak name1_ = own_) PRAGMA(weak name2_ = own_) PRAGMA(weak name3_ = own_)",
             "#if defined(F77_NAME_UPPER)",
             "#define ALIASES(lower_, upper_) ALIASES_2(lower_, lower_ ## _, lower_ ## __, upper_)",
             "#elif defined(F77_NAME_LOWER)",
             "#define ALIASES(lower_, upper_) ALIASES_2(upper_, lower_ ## _, lower_ ## __, lower_)",
             "#elif defined(F77_NAME_LOWER_2USCORE)",
             "#define ALIASES(lower_, upper_) ALIASES_2(lower_, lower_ ## _, upper_, lower_ ## __)",
             "#else",
             "#define ALIASES(lower_, upper_) ALIASES_2(lower_, upper_, lower_ ## __, lower_ ## _)",
             "#endif",
             "",
             "/* the application passes that of MPI_ */",
             define_name("mpi_conversion_fn_null"),
             "extern MPI_Datarep_conversion_function mpi_conversion_fn_null_;",
             ""]
    for name in names:
        lines += ["ALIASES(%s, %s)" % (name, name.upper()), define_name(name)]
    if proxies:
        lines += ["", "#include \"%s\"" % os.path.basename(PROXIES)]
    lines += G.out
    (G.out, G.profile_out) = (saved, saved_profile)
    dump_c_file(path, lines)

def callback_proxies():
    """Functions of the Fortran library that create handles with Fortran callbacks, if it has such."""
    if not os.path.exists(PROXIES):
        return []
    with open(PROXIES) as f:
        text = f.read()
    for state in re.findall(r'^struct \w+ \{.*?^\};', text, re.M | re.S):
        if not re.match(r'struct \w+ \{\s*\w+ \*\w+;\s*\};', state):
            raise Exception("%s: not the state that MPIR_QMPI_proxy_state makes: %s" % (PROXIES, state))
    return re.findall(r'^int (MPII_\w+)\(', text, re.M)

def dump_f90_module(func_list):
    """Writes the module of the QMPI_ forms, in releases with explicit interfaces of all functions.
    pmpi_base, which the caller has begun, uses it."""
    if 'qmpi' in G.opts:
        from local_python import binding_f90
        G.out.insert(G.out.index("IMPLICIT NONE"), "USE qmpi_base")
        saved = G.out
        begin_f90_module()
        for func in func_list:
            if '_skip_fortran' in func:
                continue
            G.out += ["INTERFACE P" + func['name'], "INDENT"]
            binding_f90.dump_f90_func(func, True)
            if G.opts['iso-c-binding'] == "yes" and any(p['kind'] == "C_BUFFER" for p in func['parameters']):
                binding_f90.dump_f90_func(func, True, True)
            G.out += ["DEDENT", "END INTERFACE", ""]
        G.out = [line.replace("PMPI", "QMPI") for line in G.out]
        end_f90_module(binding_f90)
        G.out = saved

def dump_f90_functions(func_list):
    """The same in other releases, which have explicit PMPI_ interfaces of functions with a result only."""
    from local_python import binding_f08
    mapping = get_kind_map('F90')
    saved = G.out
    begin_f90_module()
    for func in func_list:
        if 'return' not in func or '_skip_fortran' in func:
            continue
        (name, params) = ("Q" + func['name'], func['parameters'])
        kinds = sorted({kind for p in params for kind in re.findall(r'KIND=(\w+)', mapping[p['kind']])})
        G.out += ["INTERFACE", "INDENT", "FUNCTION %s(%s) result(res)" % (name, ', '.join(p['name'] for p in params)), "INDENT"]
        G.out += ["USE MPI_CONSTANTS, ONLY: " + kind for kind in kinds] + ["IMPLICIT NONE"]
        G.out += ["%s :: %s" % (mapping[p['kind']], p['name']) for p in params]
        G.out += ["%s :: res" % mapping[func['return']], "DEDENT", "END FUNCTION " + name, "DEDENT", "END INTERFACE", ""]
    end_f90_module(binding_f08)
    G.out = saved

def begin_f90_module():
    G.out = ["MODULE qmpi_base", "INDENT", "USE MPI_SIZEOFS, ONLY: QMPI_Sizeof => MPI_Sizeof", "IMPLICIT NONE", ""]

def end_f90_module(generator):
    G.out += ["DEDENT", "END MODULE qmpi_base"]
    G.check_write_path(F90_MODULE)
    generator.dump_f90_file(F90_MODULE, G.out)

def define_name(name):
    return "#define %s_ MPIR_QMPI_FORTRAN_NAME(%s, %s)" % (name, name, name.upper())

# ---- attributes ----

class AttributeFunction(Function):
    """A function whose Fortran form has one more parameter, the width of the attribute's integer."""
    def __init__(self, func):
        Function.__init__(self, func, False)
        self.width = get_polymorph_param_and_arg(func['polymorph'])[0]
        self.entry = self.name.replace("MPI_", "MPII_", 1)
        self.library = self.name.replace("MPI_", "MPII_QMPI_", 1)

def dump_attr_h(path, attributes):
    out = ["#ifndef MPIR_QMPI_ATTR_H_INCLUDED", "#define MPIR_QMPI_ATTR_H_INCLUDED", "",
           "#include \"mpir_attr_generic.h\"", ""]
    for f in attributes:
        out += split_line_with_break("MPICH_API_PUBLIC " + f.declare(f.library, trail=[f.width]), ";", 100)
        out.append("#define %s %s" % (f.entry, f.library))
    out += ["", "#endif /* MPIR_QMPI_ATTR_H_INCLUDED */"]
    dump_c_file(path, out)

def dump_attr_c(path, attributes):
    out = ["#include \"mpiimpl.h\"", "",
           "/* Fortran enters the library here. Tools see MPI_X, whose arguments do not carry the width; the",
           " * context carries it to the end of the chain. Tools get and return the values of C; which integer",
           " * one that the library returned is in Fortran depends on the language that stored it. */", ""]
    for f in attributes:
        width = f.width.split()[-1]
        out += ["#undef " + f.entry]
        out += split_line_with_break(f.declare(f.entry, trail=[f.width]), "", 100)
        out += ["{", "INDENT"]
        id = f.id
        if f.name.startswith("MPI_Comm_"):
            # only the old function has attributes of this width
            id = "function"
            old = {True: "MPI_ATTR_PUT_T", False: "MPI_ATTR_GET_T"}[f.is_setter]
            out += ["enum MPI_Functions_enum function = (%s == MPIR_ATTR_INT) ? %s : %s;"
                    % (width, old, f.id), ""]
        object, keyval = f.args[:2]
        args = list(f.args)
        if not f.is_setter:
            args[1:3] = ["keyval", "&value"]
        link_call = "((%s *) link->fn) (%s)" % (f.type, ', '.join(["&context", "link->tool_id"] + args))
        out += ["if (unlikely(MPIR_QMPI_gate_is_closed(%s))) {" % id, "INDENT",
                "struct MPIR_QMPI_Context context;",
                "const MPIR_QMPI_Link *link;",
                "",
                "MPIR_QMPI_note_call_site(%s, MPIR_QMPI_CALL_SITE);" % id,
                "MPIR_QMPI_TAKE_CONTEXT(context);",
                "link = MPIR_QMPI_first_link(%s);" % id]
        set_attr = "MPIR_QMPI_set_attr(&context, %s, %s, %s, %%s);" % (id, width, object)
        if f.is_setter:
            out += ["if (link->tool_id) {", "INDENT",
                    set_attr % keyval,
                    "return %s;" % link_call,
                    "DEDENT", "}"]
        else:
            out += ["if (link->tool_id) {", "INDENT",
                    "const int keyval = MPIR_QMPI_c_keyval(%s);" % keyval,
                    "void *value = NULL;",
                    "int mpi_errno;",
                    "",
                    set_attr % "keyval",
                    "mpi_errno = %s;" % link_call,
                    "if (mpi_errno || !*%s || MPIR_QMPI_convert_attr(&context, value, %s))"
                    % (f.args[-1], f.args[-2]),
                    "    return mpi_errno;",
                    "DEDENT", "}"]
        out += ["DEDENT", "}",
                "return %s;" % f.call(f.library, trail=[width]),
                "DEDENT", "}", ""]
    dump_c_file(path, out)
