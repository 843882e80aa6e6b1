##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

"""Everything that MPICH's binding generator emits for QMPI in C.

gen_binding_c.py calls dump_entry() for every C function and dump_files() at the end. The *_api.txt
files and the registry of ids give the entries, the ends of the chain, the QMPI_ names, the ids and
function types of mpi.h, and the lists for tool authors.

For MPI_X, with internal_X as the function that MPICH generates:

    MPIR_QMPI_body_MPI_X      internal_X
    MPI_X                     tests the function's gate, and jumps to the body or to the dispatch
    QMPI_X                    the body: the library without tools
    MPIR_QMPI_dispatch_MPI_X  makes the context and calls the first link
    MPIR_QMPI_tail_MPI_X      last link of every chain: QMPI_X with a tool's signature
"""

from local_python import MPI_API_Global as G
from local_python.mpi_api import *
from local_python.binding_common import *
from local_python import RE
from local_python import binding_qmpi_api
from local_python import binding_qmpi_kit

import os
import re
import sys

REGISTRY = "src/binding/qmpi_functions.txt"

# C functions that a release of MPICH may have files for, and the feature that they belong to. These
# files have MPIR_QMPI_FUNCTION as the head of the function. Later releases generate the functions.
HAND_WRITTEN = {
    "MPI_Status_c2f": "HAVE_FORTRAN_BINDING",
    "MPI_Status_f2c": "HAVE_FORTRAN_BINDING",
    "MPI_Type_create_f90_complex": "MPIR_QMPI_HAVE_FC",
    "MPI_Type_create_f90_integer": "MPIR_QMPI_HAVE_FC",
    "MPI_Type_create_f90_real": "MPIR_QMPI_HAVE_FC",
}

# Where MPI-IO is not generated, ROMIO's sources define the functions under these names (see
# dump_romio_h), and the entries are a file of their own.
ROMIO_FUNCTION = r'mpi_(file_\w+|register_datarep)$'
ROMIO_BODY = "MPIR_ROMIO_"

# Handles with conversions to Fortran. Where only mpi.h defines these, as macros, no tool can
# intercept them, so they have a QMPI_ form but no tail.
HANDLES = ["Comm", "Errhandler", "Group", "Info", "Message", "Op", "Request", "Session",
                 "Type", "Win"]

class Function:
    """A C function as the generated text needs it.
    feature  macro of the feature without which the library lacks the function, None if it never does
    body     name of the body where that is not made of internal_X"""
    def __init__(self, func, is_large, feature=None, body=None):
        mapping = get_kind_map('C', is_large)
        # MPI_X has an int count where MPI_X_c has an MPI_Count; some parameters exist in one only
        self.parameters = [p for p in func['parameters']
                           if not RE.search(r'c_parameter', p['suppress'])
                           and (is_large or not p['large_only'])]
        self.name = get_function_name(func, is_large)
        self.ret = mapping[func['return']] if 'return' in func else "int"
        if self.ret == "void":
            self.ret = "void *"     # as MPICH's get_C_return
        self.params = [get_C_param(p, func, mapping) for p in self.parameters]
        self.is_variadic = "..." in self.params
        self.args = [p['name'] for p in self.parameters if p['kind'] != "VARARGS"]
        self.feature = feature
        replacement = replaced_by(func)
        self.internal = internal_name(func, is_large)
        self.has_own_body = body is not None
        self.id = self.name.upper() + "_T"
        self.type = self.name + "_t"
        self.body = body or "MPIR_QMPI_body_" + self.name
        self.dispatch = "MPIR_QMPI_dispatch_" + self.name
        self.tail = "MPIR_QMPI_tail_" + self.name
        # the body of a replaced function and one that may be called at any time do not test
        self.tests_initialization = body is None and tests_initialization(
            replacement if replacement and self.internal != own_internal_name(self.name) else func)
        self.attribute = attribute_function(replacement or func)
        self.is_setter = self.attribute and all(p['param_direction'] == "in" for p in self.parameters)
        self.extended = None if is_large else extended_function(func)
        self.creators = creators(self.name)
        # x86-64 passes six arguments in registers; a compiler copies the others for a jump
        self.has_arguments_on_stack = len(self.args) > 6
        self.pointer_tags = func.get('_pointertag_list', [])
        self.dir = func.get('dir')
        self.is_large = is_large
        self.returns_error_code = 'return' not in func

    def declare(self, name, lead=[], trail=[]):
        """C declarator of name with the function's parameters between those of lead and trail."""
        return "%s %s(%s)" % (self.ret, name, ', '.join(lead + self.params + trail) or "void")

    def call(self, name, lead=[], trail=[]):
        return "%s(%s)" % (name, ', '.join(lead + self.args + trail))

def tests_initialization(func):
    """Whether MPICH's body of the function begins with MPIR_ERRTEST_INITIALIZED_ORDIE."""
    return (func.get('dir') not in (None, "mpit") and '_skip_initcheck' not in func
            and 'polymorph' not in func and not replaced_by(func) and func.get('impl') != "direct")

def replaced_by(func):
    """The function that MPI gives in place of a deprecated one, if MPICH calls it."""
    if 'replace' in func and 'body' not in func:
        RE.search(r'with\s+(\w+)', func['replace'])
        return G.FUNCS[RE.m.group(1).lower()]
    return None

def internal_name(func, is_large):
    """The body that MPICH generates; where replaced functions have none, that of the replacement."""
    from local_python import binding_c      # which imports this module
    name = get_function_name(func, is_large)
    if replaced_by(func) and hasattr(binding_c, 'get_static_call_internal'):
        name = get_function_name(replaced_by(func), is_large)
    return own_internal_name(name)

def own_internal_name(name):
    return re.sub(r'^MPI(X?)_', r'internal\1_', name)

def attribute_function(func):
    """Of a function that Fortran calls with an integer of another width than a pointer's (see
    binding_qmpi_f77.py): the library's function that is told the width."""
    return re.sub(r'^MPI_', "MPII_", func['name']) if 'polymorph' in func else None

def extended_function(func):
    """Name of the function with state by which the Fortran library creates what func creates for C, if
    there is one."""
    name = (replaced_by(func) or func)['name'].replace("MPI_", "MPIX_", 1) + "_x"
    return G.FUNCS[name.lower()]['name'] if name.lower() in G.FUNCS else None

def creators(name):
    """The functions that have this one as extended_function."""
    if not re.match(r'MPIX_\w+_x$', name):
        return []
    return [Function(f, False) for key, f in sorted(G.FUNCS.items()) if extended_function(f) == name]

def fortran_calls(func):
    """Id of the C function that tools see for a function of mpif.h or mpi_f08."""
    return get_function_name(func).upper() + "_T"

TOOL_PARAMS = ["MPI_Context context", "int tool_id"]

# The functions that build the chain.
INITIALIZERS = ["MPI_Init", "MPI_Init_thread", "MPI_Session_init"]

# Conversions that libmpi may lack; the library of mpi_f08 has them, so they have QMPI_ names.
F08_STATUS = ["MPI_Status_c2f08", "MPI_Status_f082c"]

# Sources of libmpifort in src/qmpi/Makefile.mk: variable, conditional of automake, variable of MPICH
# in releases with one library, and its makefile and the variable in releases that link several.
FORTRAN_SOURCES = [
    ("qmpi_f77_sources", "BUILD_F77_BINDING", "mpi_f77_sources", "mpif_h", "lib_libf77_mpi_la_SOURCES"),
    ("qmpi_f90_sources", "BUILD_FC_BINDING", "mpi_fc_sources", "use_mpi", "lib_libf90_mpi_la_SOURCES"),
    ("qmpi_f08_sources", "BUILD_F08_BINDING", "mpi_fc_sources", "use_mpi_f08", "lib_libf08_mpi_la_SOURCES"),
]

# functions in the order in which the generator came across them
functions = []

# The header of the MPI ABI, in releases that have a library for it, and the functions that both have.
ABI_HEADER = "src/binding/abi/mpi_abi.h"
abi_names = set()

class AbiFunction(Function):
    """The same function as the library of the MPI ABI has it: its types are those of the ABI."""
    def __init__(self, func, declaration):
        Function.__init__(self, func, func['_is_large'])
        RE.match(r'(.+?)\s*\b%s\((.*)\)$' % self.name, declaration)
        self.ret, params = RE.m.group(1, 2)
        self.params = [] if params == "void" else params.split(', ')
        self.args = [re.search(r'(\w+)(\[.*\])*$', p).group(1) for p in self.params if p != "..."]
        self.tests_initialization &= func['dir'] != "io"    # which sees nothing of MPICH's inside
        # for Fortran, which this library lacks
        self.attribute = self.extended = None
        self.creators = []

# ---- the entry of one function ----

def initialization_test(func):
    """The first statement of internal_X. The gate, which comes before it, has made the test already."""
    if tests_initialization(func) and ('_is_abi' not in func or is_in_abi(func)):
        return "MPIR_QMPI_ERRTEST_INITIALIZED_ORDIE();"
    return "MPIR_ERRTEST_INITIALIZED_ORDIE();"

def dump_entry(func, dump_plain_entry):
    """Appends what follows internal_X to G.out. dump_plain_entry is MPICH's function for it."""
    f = Function(func, func['_is_large'])
    functions.append(f)
    G.out.append("#ifdef ENABLE_QMPI")
    dump_declared("MPIR_QMPI_BODY " + f.declare(f.body), ["return %s;" % f.call(f.internal)])
    dump_chain_ends(f)
    dump_mpi_function(f)
    G.out.append("#else")
    dump_plain_entry(func, f.is_large)
    G.out += ["#endif", ""]

def dump_abi_entry(func, declaration):
    """Appends all that precedes the body of a function of the ABI's library to G.out: the chain is at
    the border of the ABI, before the conversion of handles."""
    f = AbiFunction(func, declaration)
    if is_in_abi(func):
        abi_names.add(f.name)
        G.out.append("#ifdef ENABLE_QMPI")
        dump_broken_line("MPIR_QMPI_BODY " + f.declare(f.body) + ";")
        dump_chain_ends(f)
        dump_mpi_function(f)
        dump_broken_line("MPIR_QMPI_BODY " + f.declare(f.body))
        G.out.append("#else")
        dump_broken_line(declaration)
        G.out.append("#endif")
    else:
        dump_broken_line(declaration)
    G.out += ["{", "INDENT"]

def is_in_abi(func):
    if 'abi_header' not in G.opts:
        with open(ABI_HEADER) as f:
            G.opts['abi_header'] = set(re.findall(r'\b(MPIX?_\w+)\(', f.read()))
    return get_function_name(func, func['_is_large']) in G.opts['abi_header']

def dump_chain_ends(f):
    """QMPI_X, the tail and the dispatch. Where MPI_ and PMPI_ are two libraries they are in the latter, and MPI_X calls the
    dispatch there."""
    dispatch = "MPIR_QMPI_DISPATCH " + f.declare(f.dispatch)
    if not f.is_variadic:
        dump_broken_line(dispatch + ";")
    for creator in f.creators:
        dump_broken_line("MPIR_QMPI_DISPATCH " + f.declare(fortran_dispatch(creator)) + ";")
    G.out.append("#ifndef MPICH_MPI_FROM_PMPI")
    if f.has_own_body:
        dump_broken_line("MPIR_QMPI_BODY " + f.declare(f.body) + ";")
    dump_body(f.declare("Q" + f.name), body_lines(f))
    dump_declared(f.declare(f.tail, TOOL_PARAMS), tail_lines(f))
    if not f.is_variadic:
        dump_body(dispatch, [
            "struct MPIR_QMPI_Context context;",
            "const MPIR_QMPI_Link *link;",
            ""] + ["MPIR_QMPI_build();"] * (f.name in INITIALIZERS) + [
            "MPIR_QMPI_TAKE_NOTE(%s);" % f.id] * f.has_arguments_on_stack + [
            "link = MPIR_QMPI_first_link(%s);" % f.id,
            "MPIR_QMPI_TAKE_CONTEXT(context);",
            "return " + f.call("((%s *) link->fn) " % f.type, ["&context", "link->tool_id"]) + ";"])
    for creator in f.creators:
        dump_body("MPIR_QMPI_DISPATCH " + f.declare(fortran_dispatch(creator)),
                  fortran_dispatch_lines(creator, f))
    G.out += ["#endif", ""]

def body_lines(f):
    return (["MPIR_QMPI_TEST_INITIALIZED(%s);" % f.id] * f.tests_initialization
            + ["return %s;" % f.call(f.body)])

def tail_lines(f):
    lines = body_lines(f)
    if f.attribute:
        test = "if (unlikely(MPIR_QMPI_is_attr(context, %s, %s, %s)))" % (f.id, f.args[0], f.args[1])
        if f.is_setter:
            return [test, "    return %s(%s, context->fortran_type);" % (f.attribute, ', '.join(f.args))] + lines
        return [test + " {",
                "    int mpi_errno = %s;" % f.call(f.body),
                "    MPIR_QMPI_note_attr(context, mpi_errno, %s, %s);" % (f.args[2], f.args[3]),
                "    return mpi_errno;",
                "}"] + lines
    if f.extended:
        extended = Function(G.FUNCS[f.extended.lower()], False)
        lines[-1:] = ["if (unlikely(MPIR_QMPI_is_fortran(context, %s))) {" % f.id,
                      "    void *state = MPIR_QMPI_proxy_state((MPIR_QMPI_Any_function *) %s);" % f.args[0],
                      "    int mpi_errno = Q%s;" % extended_call(extended, f.args[1:]),
                      "    if (mpi_errno)",
                      "        context->fortran.callback.destructor(state);",
                      "    return mpi_errno;",
                      "}"] + lines[-1:]
    return lines

def extended_call(extended, args):
    """The call that creates an object of Fortran; args are those of the C function without the first."""
    proxy = "(%s) context->fortran.callback.proxy" % type_of(extended.params[0])
    return "%s(%s)" % (extended.name, ', '.join([proxy, "context->fortran.callback.destructor"] + args[:-1]
                                                + ["state"] + args[-1:]))

def fortran_dispatch(creator):
    return "MPIR_QMPI_fortran_" + creator.name

def fortran_dispatch_lines(creator, extended):
    """A call of the extended function that Fortran makes for the other one. Each object that the end of
    the chain creates has a separate state."""
    (proxy, destructor), (state, handle) = extended.args[:2], extended.args[-2:]
    procedure = "(%s) MPIR_QMPI_PROCEDURE(%s)" % (type_of(creator.params[0]), state)
    args = ["&context", "link->tool_id", procedure] + extended.args[2:-2] + [handle]
    return ["struct MPIR_QMPI_Context context;",
            "const MPIR_QMPI_Link *link;",
            "int mpi_errno;",
            "",
            "link = MPIR_QMPI_first_link(%s);" % creator.id,
            "MPIR_QMPI_note.function = -1;",
            "MPIR_QMPI_TAKE_CONTEXT(context);",
            "MPIR_QMPI_SET_CALLBACK(context, %s, %s, %s);" % (creator.id, proxy, destructor),
            "mpi_errno = ((%s *) link->fn) (%s);" % (creator.type, ', '.join(args)),
            "if (mpi_errno == MPI_SUCCESS)",
            "    %s(%s);" % (destructor, state),
            "return mpi_errno;"]

def type_of(param):
    """The type of a C parameter that is a pointer."""
    return re.match(r'(.*\*)\w+$', param).group(1)

def dump_mpi_function(f):
    if f.has_arguments_on_stack:
        G.out.append("#ifdef MPIR_QMPI_JUMP")
        dump_body("MPIR_QMPI_JUMP_ENTRY " + f.declare(f.name),
                  ["MPIR_QMPI_JUMP(%s, %s, %s)" % (number_of(f.name), f.dispatch, f.body)])
        G.out.append("#else")
    dump_broken_line(f.declare(f.name), "MPIR_QMPI_ENTRY;")
    dump_body(f.declare(f.name), gate_lines(f) + ["return %s;" % f.call(f.body)])
    if f.has_arguments_on_stack:
        G.out.append("#endif")

def gate_lines(f):
    if f.is_variadic:
        # C has no way to pass on arguments of unknown number and type: the runtime reads them
        # from the list and calls every instance in turn.
        last = f.args[-1]
        return ["if (unlikely(MPIR_QMPI_gate_is_closed(%s))) {" % f.id,
                "    va_list varargs;",
                "    int mpi_errno;",
                "",
                "    va_start(varargs, %s);" % last,
                "    mpi_errno = MPIR_QMPI_pcontrol(MPIR_QMPI_CALL_SITE, %s, varargs);" % last,
                "    va_end(varargs);",
                "    if (mpi_errno)",
                "        return mpi_errno;",
                "}"]
    if f.creators:
        lines = ["if (unlikely(MPIR_QMPI_gate_is_closed(%s))) {" % f.id]
        for creator in f.creators:
            lines += ["    if (MPIR_QMPI_is_noted(%s))" % creator.id,
                      "        return %s;" % f.call(fortran_dispatch(creator))]
        return lines + ["    MPIR_QMPI_note_call_site(%s, MPIR_QMPI_CALL_SITE);" % f.id,
                        "    return %s;" % f.call(f.dispatch),
                        "}"]
    return ["MPIR_QMPI_GATE(%s, %s);" % (f.id, f.call(f.dispatch))]

def dump_declared(declaration, lines):
    """A function that is not static and has no prototype elsewhere."""
    dump_broken_line(declaration + ";")
    dump_body(declaration, lines)

def dump_body(declaration, lines):
    dump_broken_line(declaration)
    G.out.append("{")
    for l in lines:
        if l.startswith('#'):
            G.out.append(l)
        elif l:
            dump_broken_line("    " + l)
        else:
            G.out.append("")
    G.out.append("}")
    G.out.append("")

def dump_broken_line(s, tail=''):
    G.out.extend(split_line_with_break(s, tail, 100))

# ---- files ----

def dump_files(dump_c_file):
    """Writes the generated files; called when every function has been seen by dump_entry."""
    binding_qmpi_api.dump_api(dump_c_file)
    romio = dump_romio_entries("src/qmpi/romio_entries.c", dump_c_file)
    dump_romio_h("src/include/mpir_qmpi_romio_names.h", romio, dump_c_file)
    generated = {f.name for f in functions}
    hand_written = [Function(G.FUNCS[name.lower()], False, feature=HAND_WRITTEN[name],
                             body="MPIR_QMPI_body_" + name)
                    for name in sorted(set(HAND_WRITTEN) - generated)]
    functions.extend(hand_written)
    dump_dispatch_h("src/include/mpir_qmpi_dispatch.h", hand_written, dump_c_file)
    names = load_registry(G.get_srcdir_path(REGISTRY))
    known = order_by_id(names)
    dump_proto_h("src/include/mpi_qmpi_proto.h", names, known, dump_c_file)
    dump_functions_h("src/include/mpi_qmpi_functions.h", known, dump_c_file)
    binding_qmpi_kit.dump_functions_hpp("src/include/qmpi_functions.hpp", names, known, dump_c_file)
    dump_functions_c("src/qmpi/qmpi_functions.c", names, known, hand_written, dump_c_file)
    dump_direct_h("src/include/mpir_qmpi_direct_names.h", known, dump_c_file)
    dump_makefile("src/qmpi/generated.mk")

def dump_dispatch_h(path, hand_written, dump_c_file):
    out = begin_header("MPIR_QMPI_DISPATCH_H_INCLUDED") + binding_qmpi_api.declarations()
    for f in hand_written:
        out += split_line_with_break(f.declare("P" + f.name), "MPIR_QMPI_ENTRY;", 100)
        out += split_line_with_break(f.declare(f.dispatch), ";", 100)
    dump_c_file(path, out + ["", "#endif /* MPIR_QMPI_DISPATCH_H_INCLUDED */"])

def dump_romio_entries(path, dump_c_file):
    """Entries of the functions that ROMIO implements; returns these functions."""
    from local_python.binding_c import dump_profiling   # which imports this module
    generated = {f.name.lower() for f in functions}
    romio = []
    G.out = ["#include \"mpiimpl.h\"", "", "#ifdef HAVE_ROMIO", ""]
    for key, func in sorted(G.FUNCS.items()):
        if not re.match(ROMIO_FUNCTION, key) or key in generated or key.endswith("_function"):
            continue
        for is_large in [False, True] if function_has_POLY_parameters(func) else [False]:
            name = re.sub('^MPI_', '', get_function_name(func, is_large))
            f = Function(func, is_large, feature="HAVE_ROMIO", body=ROMIO_BODY + name)
            func['_is_large'] = is_large
            dump_profiling(func)
            # where MPI_ and PMPI_ are two libraries, ROMIO is in the latter
            G.out.append("#ifdef MPICH_MPI_FROM_PMPI")
            G.out.append("#define %s Q%s" % (f.body, f.name))
            G.out += ["#endif", ""]
            dump_chain_ends(f)
            dump_mpi_function(f)
            romio.append(f)
    G.out.append("#endif /* HAVE_ROMIO */")
    dump_c_file(path, G.out)
    functions.extend(romio)
    return romio

def dump_romio_h(path, romio, dump_c_file):
    """Names of ROMIO's functions; mpir_qmpi_romio.h explains them."""
    out = []
    for f in romio:
        name = "MPIR_QMPI_ROMIO_NAME(%s)" % f.body[len(ROMIO_BODY):]
        out += split_line_with_break(f.declare(name), "MPIR_QMPI_ROMIO_HIDDEN;", 100)
        for form in (f.name, "P" + f.name):
            out += ["#undef " + form, "#define %s %s" % (form, name)]
    dump_c_file(path, out)

def load_registry(path):
    """Returns the names of all functions that ever had an id, at the index that is their id."""
    names = []
    with open(path) as In:
        for number, line in enumerate(In, 1):
            line = line.split('#')[0].strip()
            if not line:
                continue
            if not RE.match(r'(\d+)\s+(MPIX?_\w+)$', line):
                raise Exception("%s:%d: not an id and a function name: %s" % (path, number, line))
            id, name = int(RE.m.group(1)), RE.m.group(2)
            if id != len(names):
                raise Exception("%s:%d: %s has id %d, the next free one is %d"
                                % (path, number, name, id, len(names)))
            if name in names:
                raise Exception("%s:%d: %s has an id already" % (path, number, name))
            names.append(name)
    return names

def number_of(name):
    """Id of a function, for text of the assembler."""
    if 'qmpi_registry' not in G.opts:
        G.opts['qmpi_registry'] = load_registry(G.get_srcdir_path(REGISTRY))
    return G.opts['qmpi_registry'].index(name)

def order_by_id(registered):
    """Returns the functions in the order of their ids, without those that this base lacks."""
    by_name = {f.name: f for f in functions}
    missing = sorted(set(by_name) - set(registered))
    if missing:
        for i, name in enumerate(missing):
            print("%d %s" % (len(registered) + i, name), file=sys.stderr)
        raise Exception("functions without an id; append the lines above to %s" % REGISTRY)
    return [by_name[name] for name in registered if name in by_name]

def begin_header(guard):
    return ["#ifndef %s" % guard, "#define %s" % guard, ""]

def dump_proto_h(path, names, known, dump_c_file):
    """Ids, function types and QMPI_ prototypes: the generated half of mpi_qmpi.h."""
    out = begin_header("MPI_QMPI_PROTO_H_INCLUDED")
    out.append("enum MPI_Functions_enum {")
    for id, name in enumerate(names):
        out.append("    %s_T = %d," % (name.upper(), id))
    out.append("    MPI_LAST_FUNC_T = %d" % len(names))
    out += ["};", ""]
    common, others = split_by_abi(known)
    for f in common:
        out += declarations(f)
    out += ["", "#ifndef MPIX_QMPI_ABI"]
    for f in others:
        out += declarations(f)
    for name in sorted(set(F08_STATUS) - {f.name for f in known}):
        out.append(Function(G.FUNCS[name.lower()], False).declare("Q" + name) + " MPICH_API_PUBLIC;")
    for handle in macro_handles(known):
        out.append("MPI_Fint QMPI_%s_c2f(%s handle) MPICH_API_PUBLIC;" % (handle, handle_type(handle)))
        out.append("%s QMPI_%s_f2c(MPI_Fint handle) MPICH_API_PUBLIC;" % (handle_type(handle), handle))
    out += ["#endif /* !MPIX_QMPI_ABI */", ""] + binding_qmpi_api.prototypes()
    dump_c_file(path, out + ["", "#endif /* MPI_QMPI_PROTO_H_INCLUDED */"])

def declarations(f):
    tags = ["MPICH_ATTR_POINTER_WITH_TYPE_TAG(%s)" % t for t in f.pointer_tags]
    typedef = "typedef %s (%s) (%s);" % (f.ret, f.type, ', '.join(TOOL_PARAMS + f.params))
    return (split_line_with_break(typedef, '', 100) + ["typedef %s Q%s;" % (f.type, f.type)]
            + split_line_with_break(f.declare("Q" + f.name),
                                    ' '.join(tags + ["MPICH_API_PUBLIC"]) + ";", 100))

def split_by_abi(known):
    """Functions of every library, and those that the library of the MPI ABI lacks."""
    if not abi_names:
        return known, []
    return [f for f in known if f.name in abi_names], [f for f in known if f.name not in abi_names]

def macro_handles(known):
    names = {f.name for f in known}
    return [handle for handle in HANDLES if "MPI_%s_c2f" % handle not in names]

def handle_type(name):
    return "MPI_Datatype" if name == "Type" else "MPI_" + name

def dump_functions_h(path, known, dump_c_file):
    """The list of all functions as macro calls, for tools that treat every function alike."""
    out = ["/* One line for every function that a tool can intercept. Define before including:",
           " *",
           " *   MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers)",
           " *",
           " * id           enumerator of the function, such as MPI_SEND_T",
           " * type         type of its result",
           " * name         its name, such as MPI_Send",
           " * tool_params  parameters of a tool's function, context and tool_id first",
           " * next_args    arguments for the next link: context, next_tool_id, then the function's own",
           " * params, args parameters and arguments of the function itself",
           " * buffers      what its buffer arguments describe, one macro call for each, in order:",
           " *              MPIX_QMPI_IN, _OUT, _INOUT(buffer, count, datatype), with V after the name",
           " *              where count is an array (one element per rank or neighbour), with W where",
           " *              datatype is one too",
           " *",
           " * MPI_Pcontrol has optional arguments and is listed only where the macro",
           " * MPIX_QMPI_FUNCTION_PCONTROL is defined. Both macros end with this file, which can be",
           " * included any number of times. */",
           "",
           "#ifndef MPIX_QMPI_FUNCTION",
           "#error \"define MPIX_QMPI_FUNCTION before mpi_qmpi_functions.h\"",
           "#endif",
           ""]
    common, others = split_by_abi(known)
    for i, f in enumerate(common + others):
        if i == len(common):
            out.append("#ifndef MPIX_QMPI_ABI")
        macro = "MPIX_QMPI_FUNCTION"
        if f.is_variadic:
            macro = "MPIX_QMPI_FUNCTION_PCONTROL"
            out.append("#ifdef " + macro)
        out.append("%s(%s, %s, %s," % (macro, f.id, f.ret, f.name))
        out.append("    (%s)," % ', '.join(TOOL_PARAMS + f.params))
        out.append("    (%s)," % ', '.join(["context", "next_tool_id"] + f.args))
        out.append("    (%s), (%s)," % (', '.join(f.params) or "void", ', '.join(f.args)))
        out.append("    %s)" % ' '.join(buffers(f)))
        if f.is_variadic:
            out.append("#endif")
    out += ["#endif"] * bool(others) + ["", "#undef MPIX_QMPI_FUNCTION", "#undef MPIX_QMPI_FUNCTION_PCONTROL"]
    dump_c_file(path, out)

def buffers(f):
    """Macro calls that tell which data the buffer arguments of f describe."""
    out = []
    for b in binding_qmpi_kit.buffer_parameters(f):
        # Fetch_and_op and Compare_and_swap move one element and say so by having no count
        elements = b['count']['name'] if b['count'] else "1"
        if b['partitions']:
            elements = "partitions * " + elements
        form = "W" if b['datatype']['length'] else "V" if b['count'] and b['count']['length'] else ""
        out.append("MPIX_QMPI_%s%s(%s, %s, %s)" % (b['direction'].upper(), form,
                                                   b['address']['name'], elements,
                                                   b['datatype']['name']))
    return out

def dump_functions_c(path, names, known, hand_written, dump_c_file):
    """Tables that the runtime indexes by function id, and QMPI_ functions for macros."""
    by_name = {f.name: f for f in known}
    G.out = []
    for f in hand_written:
        G.out.append("#ifdef " + f.feature)
        dump_chain_ends(f)
        G.out += ["#endif /* %s */" % f.feature, ""]
    out = ["#include \"mpiimpl.h\"", ""] + G.out
    for f in known:
        out += if_available(f, "MPIR_QMPI_HIDDEN extern %s %s;" % (f.type, f.tail), None)
    out += ["", "MPL_atomic_ptr_t MPIR_QMPI_first[MPI_LAST_FUNC_T] = {"]
    out += ["    MPL_ATOMIC_PTR_T_INITIALIZER((void *) &MPIR_QMPI_tail[%d])," % id for id in range(len(names))]
    out += ["};", "", "const MPIR_QMPI_Link MPIR_QMPI_tail[MPI_LAST_FUNC_T] = {"]
    for name in names:
        if name in by_name:
            f = by_name[name]
            out += if_available(f, link(f.tail), link("MPIR_QMPI_tail_missing"))
        else:
            out.append(link("MPIR_QMPI_tail_missing"))
    out += ["};", "", "const MPIR_QMPI_Pair MPIR_QMPI_pairs[] = {"]
    out += ["    {%s, %s_T}," % (f.id, f.extended.upper()) for f in known if f.extended]
    out += ["    {-1, -1}", "};", ""]
    closed = [f for f in known if f.tests_initialization or f.name in INITIALIZERS]
    for table in ("__attribute__((used)) unsigned char MPIR_QMPI_gate", "const unsigned char MPIR_QMPI_first_gate"):
        out.append(table + "[MPI_LAST_FUNC_T] = {")
        out += ["    [%s] = MPIR_QMPI_GATE_CLOSED," % f.id for f in closed]
        out += ["};", ""]
    out += ["extern unsigned char MPII_QMPI_gate[MPI_LAST_FUNC_T] __attribute__((alias(\"MPIR_QMPI_gate\")));", "",
            "const char *const MPIR_QMPI_function_name[MPI_LAST_FUNC_T] = {"]
    out += ["    \"%s\"," % name for name in names]
    out += ["};", ""]
    for handle in macro_handles(known):
        t = handle_type(handle)
        for ret, name, param in (("MPI_Fint", handle + "_c2f", t), (t, handle + "_f2c", "MPI_Fint")):
            out += ["%s QMPI_%s(%s handle)" % (ret, name, param), "{",
                    "    return MPI_%s(handle);" % name, "}", ""]
    dump_c_file(path, out)

def link(function):
    return "    {(MPIR_QMPI_Any_function *) %s, 0}," % function

def if_available(f, row, row_without):
    """The row of a table for f, or the other one where the library lacks it."""
    conditions = ["defined(%s)" % f.feature] if f.feature else []
    if abi_names and f.name not in abi_names:
        conditions.append("!defined(BUILD_MPI_ABI)")
    if not conditions:
        return [row]
    without = ["#else", row_without] if row_without else []
    return ["#if " + " && ".join(conditions), row] + without + ["#endif"]

def dump_direct_h(path, known, dump_c_file):
    """Renames for calls inside the library; mpir_qmpi_direct.h explains them. Files whose other calls
    are the application's take those of the conversions of handles only."""
    conversions = [f for f in known if re.match(r'MPI_(?!Status_)\w+_(c2f|f2c)$', f.name)]
    others = [f for f in known if f not in conversions]
    out = []
    for f in conversions:
        out += if_available(f, rename(f), None)
    out.append("#ifndef MPIR_QMPI_DIRECT_CONVERSIONS_ONLY")
    for f in others:
        out += if_available(f, rename(f), None)
    dump_c_file(path, out + ["#endif"])

def rename(f):
    return "#undef %s\n#undef P%s\n#define %s Q%s\n#define P%s Q%s" % ((f.name,) * 6)

def dump_makefile(path):
    """The part of src/qmpi/Makefile.mk that differs between releases of MPICH."""
    lines = ["dist_man3_MANS = \\", " \\\n".join("    " + page for page in binding_qmpi_api.man_pages())]
    if os.path.exists(G.get_srcdir_path(ABI_HEADER)):
        lines += ["", "mpi_abi_sources += " + binding_qmpi_api.C_FILE]
    for sources, condition, one, folder, own in FORTRAN_SOURCES:
        with open(G.get_srcdir_path("src/binding/fortran/%s/Makefile.mk" % folder)) as f:
            target = own if own in f.read() else one
        lines += ["", "if " + condition, "%s += $(%s)" % (target, sources), "endif " + condition]
    print("  --> [%s]" % path)
    with open(path, "w") as Out:
        print("\n".join(G.copyright_mk + lines), file=Out)
