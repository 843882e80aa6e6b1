##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

"""What QMPI adds to mpif.h and use mpi: the QMPI_ forms, and libmpi's entries for attributes."""

import inspect
import os
import re

from local_python import MPI_API_Global as G
from local_python import binding_f77 as f77
from local_python.binding_c import dump_c_file, get_polymorph_param_and_arg
from local_python.binding_common import get_function_name, split_line_with_break
from local_python.binding_qmpi import Function

# of the releases whose library calls Fortran callbacks through C functions
PROXIES = "src/binding/fortran/mpif_h/user_proxy.c"

def dump_f77(func_list):
    dump_qmpi_forms("src/qmpi/fortran_qmpi.c", func_list)
    attributes = [AttributeFunction(f) for key, f in sorted(G.FUNCS.items()) if 'polymorph' in f]
    dump_attr_h("src/include/mpir_qmpi_attr.h", attributes)
    dump_attr_c("src/qmpi/fortran_attr.c", attributes)

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
             "#if MPIR_EXT_QMPI",
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
    lines += G.out + ["", "#endif /* MPIR_EXT_QMPI */"]
    (G.out, G.profile_out) = (saved, saved_profile)
    dump_c_file(path, lines)

def callback_proxies():
    """Functions of the Fortran library that create handles with Fortran callbacks, if it has such."""
    if not os.path.exists(PROXIES):
        return []
    with open(PROXIES) as f:
        return re.findall(r'^int (MPII_\w+)\(', f.read(), re.M)

def dump_f90_functions(func_list):
    """Interfaces of the QMPI_ forms that are functions: their result has a type."""
    from local_python import binding_f90
    for func in func_list:
        if 'return' in func and '_skip_fortran' not in func:
            G.out += ["INTERFACE Q" + func['name'], "INDENT"]
            binding_f90.dump_f90_func(dict(func, name="Q" + func['name']))
            G.out += ["DEDENT", "END INTERFACE", ""]

def define_name(name):
    return "#define %s_ MPIR_QMPI_FORTRAN_NAME(%s, %s)" % (name, name, name.upper())

# ---- attributes ----

class AttributeFunction(Function):
    """A function whose Fortran form has one more parameter, the width of the attribute's integer."""
    def __init__(self, func):
        Function.__init__(self, func, False)
        self.width = get_polymorph_param_and_arg(func['polymorph'])[0]
        self.is_setter = all(p['param_direction'] == "in" for p in self.parameters)
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
    out = ["#include \"mpiimpl.h\"", "", "#ifdef ENABLE_QMPI", "",
           "/* Fortran enters the library here. Tools see MPI_X, whose arguments do not carry the width; the",
           " * context carries it to the end of the chain. */", ""]
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
        args = list(f.args)
        if not f.is_setter:
            args[-2] = "&value"
        link_call = "((%s *) link->fn) (%s)" % (f.type, ', '.join(["&context", "link->tool_id"] + args))
        out += ["if (unlikely(MPIR_QMPI_gate_is_closed(%s))) {" % id, "INDENT",
                "struct MPIR_QMPI_Context context;",
                "const MPIR_QMPI_Link *link;",
                "",
                "MPIR_QMPI_note_call_site(%s, MPIR_QMPI_CALL_SITE);" % id,
                "MPIR_QMPI_TAKE_CONTEXT(context);",
                "link = MPIR_QMPI_first_link(%s);" % id]
        if f.is_setter:
            out += ["context.attr_function = %s;" % id,
                    "context.attr_type = %s;" % width,
                    "if (link->tool_id)",
                    "    return %s;" % link_call]
        else:
            # Tools get what C would. What Fortran gets depends on the language that stored the
            # value, which only the library knows.
            out += ["if (link->tool_id) {", "INDENT",
                    "void *value;",
                    "int mpi_errno = %s;" % link_call,
                    "if (mpi_errno || !*%s)" % f.args[-1],
                    "    return mpi_errno;",
                    "DEDENT", "}"]
        out += ["DEDENT", "}",
                "return %s;" % f.call(f.library, trail=[width]),
                "DEDENT", "}", ""]
    out.append("#endif /* ENABLE_QMPI */")
    dump_c_file(path, out)
