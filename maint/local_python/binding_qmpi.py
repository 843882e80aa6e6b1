##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

"""Everything that MPICH's binding generator emits for QMPI.

gen_binding_c.py calls dump_entry() once for every C function and, at the end, dump_files().
One description (the *_api.txt files and the function registry) gives the entries, the chain's
tails, the QMPI_ names, the ids and function types of mpi.h, and the list for tool authors.

What is emitted for MPI_X, with internal_X as the one body that MPICH generates:

    MPI_X                 jumps to what the head table names: internal_X without a tool
    QMPI_X                another name of internal_X: the library without any tool
    MPIR_QMPI_direct_MPI_X    one more name of it, for the head table
    MPIR_QMPI_tail_MPI_X  the last link of every chain: internal_X behind a tool's signature
    MPIR_QMPI_bootstrap_MPI_X  the only link until the chain stands: builds it and goes on
    MPIR_QMPI_dispatch_MPI_X  fills the context and calls the first link
"""

from local_python import MPI_API_Global as G
from local_python.mpi_api import *
from local_python.binding_common import *
from local_python import RE

import re
import sys

REGISTRY = "src/binding/qmpi_functions.txt"

# C functions whose body MPICH keeps in files of its own; the value is the feature that has them.
# Each of these files includes the entry that dump_files() writes for it.
HAND_WRITTEN = {
    "MPI_Status_c2f": "MPIR_QMPI_HAVE_F77",
    "MPI_Status_f2c": "MPIR_QMPI_HAVE_F77",
    "MPI_Type_create_f90_complex": "MPIR_QMPI_HAVE_FC",
    "MPI_Type_create_f90_integer": "MPIR_QMPI_HAVE_FC",
    "MPI_Type_create_f90_real": "MPIR_QMPI_HAVE_FC",
}

# Attribute functions that Fortran calls with an integer of another width than a pointer's (see
# src/qmpi/qmpi_attr.c), and the library's function that is told the width.
ATTRIBUTE_SETTERS = {
    "MPI_Attr_put": "MPII_Comm_set_attr",
    "MPI_Comm_set_attr": "MPII_Comm_set_attr",
    "MPI_Type_set_attr": "MPII_Type_set_attr",
    "MPI_Win_set_attr": "MPII_Win_set_attr",
}

# MPI-IO is ROMIO's: its sources define the functions under these names (see dump_romio_h), and the
# entries are a file of their own.
ROMIO_FUNCTION = r'mpi_(file_\w+|register_datarep)$'
ROMIO_BODY = "MPIR_ROMIO_"

# Handle conversions that mpi.h defines as macros. A macro cannot be intercepted, so they have
# a QMPI_ form but no id.
MACRO_HANDLES = ["Comm", "Errhandler", "Group", "Info", "Message", "Op", "Request", "Session",
                 "Type", "Win"]

class Function:
    """A C function as the generated text needs it.
    feature  macro of the feature without which the library lacks the function, None if it never does
    body     direct implementation where that is not in the entry's file"""
    def __init__(self, func, is_large, feature=None, body=None):
        mapping = get_kind_map('C', is_large)
        # MPI_X has an int count where MPI_X_c has an MPI_Count; some parameters exist in one only
        self.parameters = [p for p in func['parameters']
                           if not RE.search(r'c_parameter', p['suppress'])
                           and (is_large or not p['large_only'])]
        self.name = get_function_name(func, is_large)
        self.ret = mapping[func['return']] if 'return' in func else "int"
        self.params = [get_C_param(p, func, mapping) for p in self.parameters]
        self.is_variadic = "..." in self.params
        self.args = [p['name'] for p in self.parameters if p['kind'] != "VARARGS"]
        self.feature = feature
        self.is_apart = body is not None
        self.internal = body or re.sub(r'^MPI(X?)_', r'internal\1_', self.name)
        self.id = self.name.upper() + "_T"
        self.type = self.name + "_t"
        self.direct = body or "MPIR_QMPI_direct_" + self.name
        self.dispatch = "MPIR_QMPI_dispatch_" + self.name
        self.tail = "MPIR_QMPI_tail_" + self.name
        self.bootstrap = "MPIR_QMPI_bootstrap_" + self.name
        self.pointer_tags = func.get('_pointertag_list', [])
        self.dir = func.get('dir')
        self.is_large = is_large
        self.returns_error_code = 'return' not in func

    def declare(self, name, lead=[]):
        """C declarator of name with the function's parameters behind those of lead."""
        return "%s %s(%s)" % (self.ret, name, ', '.join(lead + self.params) or "void")

    def call(self, name, lead=[]):
        return "%s(%s)" % (name, ', '.join(lead + self.args))

TOOL_PARAMS = ["MPI_Context context", "int tool_id"]

# Conversions that only the library of mpi_f08 has: QMPI_ names, but no id, as libmpi lacks them.
F08_STATUS = ["MPI_Status_c2f08", "MPI_Status_f082c"]

# functions in the order in which the generator came across them
functions = []

# ---- the entry of one function ----

def dump_entry(func, dump_manpage):
    """Appends what surrounds internal_X to G.out; replaces MPICH's dump_qmpi_wrappers."""
    f = Function(func, func['_is_large'])
    functions.append(f)
    dump_chain_ends(f)
    dump_manpage(func)
    G.out.append("")
    dump_mpi_function(f)

def dump_chain_ends(f):
    G.out.append("#ifdef ENABLE_QMPI")
    G.out.append("#ifndef MPICH_MPI_FROM_PMPI")
    if f.is_apart:
        dump_body(f.declare("Q" + f.name), ["return %s;" % f.call(f.internal)])
    else:
        # QMPI_X is an alias, not a copy, wherever the object format knows aliases
        G.out.append("#ifdef MPIR_QMPI_HAVE_ALIAS")
        dump_broken_line(f.declare("Q" + f.name), "MPIR_QMPI_ALIAS(%s);" % f.internal)
        if not f.is_variadic:
            dump_broken_line(f.declare(f.direct), "MPIR_QMPI_HIDDEN MPIR_QMPI_ALIAS(%s);" % f.internal)
        G.out.append("#else")
        dump_body(f.declare("Q" + f.name), ["return %s;" % f.call(f.internal)])
        G.out.append("#endif")
        G.out.append("")
    dump_broken_line(f.declare(f.tail, TOOL_PARAMS) + ";")
    dump_body(f.declare(f.tail, TOOL_PARAMS), tail_lines(f))
    if not f.is_variadic:
        dump_broken_line(f.declare(f.bootstrap, TOOL_PARAMS) + ";")
        dump_body(f.declare(f.bootstrap, TOOL_PARAMS), [
            "const MPIR_QMPI_Link *link = MPIR_QMPI_build(%s);" % f.id,
            "",
            "return " + f.call("((%s *) link->fn) " % f.type, ["context", "link->tool_id"]) + ";"])
    G.out.append("#endif /* MPICH_MPI_FROM_PMPI */")
    G.out.append("")
    if not f.is_variadic:
        dump_broken_line("MPIR_QMPI_DISPATCH " + f.declare(f.dispatch) + ";")
        dump_body("MPIR_QMPI_DISPATCH " + f.declare(f.dispatch), [
            "const MPIR_QMPI_Link *link = MPIR_QMPI_first_link(%s);" % f.id,
            "struct MPIR_QMPI_Context context = { MPIR_QMPI_CALL_SITE, %s };" % f.id,
            "",
            "return " + f.call("((%s *) link->fn) " % f.type, ["&context", "link->tool_id"]) + ";"])
    G.out.append("#endif /* ENABLE_QMPI */")
    G.out.append("")

def tail_lines(f):
    lines = ["return %s;" % f.call(f.internal)]
    if f.name in ATTRIBUTE_SETTERS:
        fortran = "%s(%s)" % (ATTRIBUTE_SETTERS[f.name], ', '.join(f.args + ["attr_type"]))
        lines = ["MPIR_Attr_type attr_type = MPIR_QMPI_attr_type(context, %s);" % f.id,
                 "",
                 "if (unlikely(attr_type != MPIR_ATTR_PTR))",
                 "    return %s;" % fortran] + lines
    return lines

def dump_mpi_function(f):
    if f.is_variadic:
        # Arguments of unknown number and type cannot be passed on by a plain call: the runtime
        # reads them from the list and calls every instance in turn.
        last = f.args[-1]
        body = ["#ifdef ENABLE_QMPI",
                "if (unlikely(MPIR_QMPI_is_intercepted(%s))) {" % f.id,
                "    va_list varargs;",
                "    int mpi_errno;",
                "",
                "    va_start(varargs, %s);" % last,
                "    mpi_errno = MPIR_QMPI_pcontrol(MPIR_QMPI_CALL_SITE, %s, varargs);" % last,
                "    va_end(varargs);",
                "    if (mpi_errno)",
                "        return mpi_errno;",
                "}",
                "#endif",
                "return %s;" % f.call(f.internal)]
    else:
        body = ["#ifdef ENABLE_QMPI",
                "return MPIR_QMPI_ENTER(%s, %s, %s, (%s));" % (f.id, f.dispatch, f.internal,
                                                               ', '.join(f.args)),
                "#else",
                "return %s;" % f.call(f.internal),
                "#endif"]
    dump_body(f.declare(f.name), body)

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
    for name in sorted(HAND_WRITTEN):
        dump_hand_written_entry(name, dump_c_file)
    romio = dump_romio_entries("src/qmpi/romio_entries.c", dump_c_file)
    dump_romio_h("src/include/mpir_qmpi_romio.h", romio, dump_c_file)
    known = order_by_id(load_registry(G.get_srcdir_path(REGISTRY)))
    dump_proto_h("src/include/mpi_qmpi_proto.h", known, dump_c_file)
    dump_functions_h("src/include/mpi_qmpi_functions.h", known, dump_c_file)
    dump_functions_hpp("src/include/qmpi_functions.hpp", known, dump_c_file)
    dump_functions_c("src/qmpi/qmpi_functions.c", known, dump_c_file)
    dump_direct_h("src/include/mpir_qmpi_direct.h", known, dump_c_file)

def dump_hand_written_entry(name, dump_c_file):
    f = Function(G.FUNCS[name.lower()], False, feature=HAND_WRITTEN[name])
    functions.append(f)
    G.out = ["#include \"mpiimpl.h\"", ""]
    dump_chain_ends(f)
    dump_mpi_function(f)
    dump_c_file("src/qmpi/entry_%s.h" % name.lower(), G.out)

def dump_romio_entries(path, dump_c_file):
    """Entries of the functions that ROMIO implements; returns these functions."""
    from local_python.binding_c import dump_profiling   # which imports this module
    generated = {f.name.lower() for f in functions}
    romio = []
    G.out = ["#include \"mpiimpl.h\"", "", "#if defined(HAVE_ROMIO) && defined(ENABLE_QMPI)", ""]
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
            G.out.append("#define %s Q%s" % (f.internal, f.name))
            G.out.append("#else")
            dump_broken_line(f.declare(f.internal), "MPIR_QMPI_HIDDEN;")
            G.out.append("#endif")
            G.out.append("")
            dump_chain_ends(f)
            dump_mpi_function(f)
            romio.append(f)
    G.out.append("#endif /* HAVE_ROMIO && ENABLE_QMPI */")
    dump_c_file(path, G.out)
    functions.extend(romio)
    return romio

def dump_romio_h(path, romio, dump_c_file):
    """Builds ROMIO under the names of the direct implementation, and its own calls without tools."""
    out = begin_header("MPIR_QMPI_ROMIO_H_INCLUDED")
    out += ["/* Included by ROMIO behind its own renaming: what it calls is not a call of the application, so",
            " * no tool sees it, and the functions that it defines are those that QMPI's entries end in. */",
            "",
            "#include \"mpir_qmpi_direct.h\"",
            "#if MPIR_EXT_QMPI",
            "",
            "/* the entries own the names MPI_ and PMPI_ */",
            "#undef HAVE_PRAGMA_WEAK",
            "#undef HAVE_PRAGMA_HP_SEC_DEF",
            "#undef HAVE_PRAGMA_CRI_DUP",
            "#undef HAVE_WEAK_ATTRIBUTE",
            "",
            "/* Without weak symbols ROMIO is built twice; the copy without MPIO_BUILD_PROFILING is libmpi's,",
            " * for calls inside of it. */",
            "#if defined(HAVE_WEAK_SYMBOLS) || defined(MPIO_BUILD_PROFILING)",
            "#define MPIR_QMPI_ROMIO_NAME(name_) %s ## name_" % ROMIO_BODY,
            "#else",
            "#define MPIR_QMPI_ROMIO_NAME(name_) MPII_ROMIO_ ## name_",
            "#endif",
            "",
            "#ifdef HAVE_VISIBILITY",
            "#define MPIR_QMPI_ROMIO_HIDDEN __attribute__((visibility(\"hidden\")))",
            "#else",
            "#define MPIR_QMPI_ROMIO_HIDDEN",
            "#endif",
            ""]
    for f in romio:
        name = "MPIR_QMPI_ROMIO_NAME(%s)" % f.internal[len(ROMIO_BODY):]
        out += split_line_with_break(f.declare(name), "MPIR_QMPI_ROMIO_HIDDEN;", 100)
        for form in (f.name, "P" + f.name):
            out += ["#undef " + form, "#define %s %s" % (form, name)]
    out += ["", "#endif /* MPIR_EXT_QMPI */", "#endif /* MPIR_QMPI_ROMIO_H_INCLUDED */"]
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

def order_by_id(registered):
    by_name = {f.name: f for f in functions}
    missing = sorted(set(by_name) - set(registered))
    if missing:
        for i, name in enumerate(missing):
            print("%d %s" % (len(registered) + i, name), file=sys.stderr)
        raise Exception("functions without an id; append the lines above to %s" % REGISTRY)
    gone = [name for name in registered if name not in by_name]
    if gone:
        raise Exception("%s names functions that the library lacks: %s" % (REGISTRY, ', '.join(gone)))
    return [by_name[name] for name in registered]

def begin_header(guard):
    return ["#ifndef %s" % guard, "#define %s" % guard, ""]

def dump_proto_h(path, known, dump_c_file):
    """Ids, function types and QMPI_ prototypes: the generated half of mpi_qmpi.h."""
    out = begin_header("MPI_QMPI_PROTO_H_INCLUDED")
    out.append("enum MPI_Functions_enum {")
    for id, f in enumerate(known):
        out.append("    %s = %d," % (f.id, id))
    out.append("    MPI_LAST_FUNC_T = %d" % len(known))
    out += ["};", ""]
    for f in known:
        out += split_line_with_break("typedef %s (%s) (%s);" % (
            f.ret, f.type, ', '.join(TOOL_PARAMS + f.params)), '', 100)
    out.append("")
    for f in known:
        out.append("typedef %s Q%s;" % (f.type, f.type))
    out.append("")
    for f in known:
        tags = ["MPICH_ATTR_POINTER_WITH_TYPE_TAG(%s)" % t for t in f.pointer_tags]
        out += split_line_with_break(f.declare("Q" + f.name),
                                     ' '.join(tags + ["MPICH_API_PUBLIC"]) + ";", 100)
    out.append("")
    for name in F08_STATUS:
        out.append(Function(G.FUNCS[name.lower()], False).declare("Q" + name) + " MPICH_API_PUBLIC;")
    for handle in MACRO_HANDLES:
        out.append("MPI_Fint QMPI_%s_c2f(%s handle) MPICH_API_PUBLIC;" % (handle, handle_type(handle)))
        out.append("%s QMPI_%s_f2c(MPI_Fint handle) MPICH_API_PUBLIC;" % (handle_type(handle), handle))
    out += ["", "#endif /* MPI_QMPI_PROTO_H_INCLUDED */"]
    dump_c_file(path, out)

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
           " *              MPIX_QMPI_IN, _OUT, _INOUT(buffer, count, datatype), with V behind the name",
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
    for f in known:
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
    out += ["", "#undef MPIX_QMPI_FUNCTION", "#undef MPIX_QMPI_FUNCTION_PCONTROL"]
    dump_c_file(path, out)

def buffers(f):
    """Macro calls that tell which data the buffer arguments of f describe."""
    out = []
    for b in buffer_parameters(f):
        # Fetch_and_op and Compare_and_swap move one element and say so by having no count
        elements = b['count']['name'] if b['count'] else "1"
        if b['partitions']:
            elements = "partitions * " + elements
        form = "W" if b['datatype']['length'] else "V" if b['count'] and b['count']['length'] else ""
        out.append("MPIX_QMPI_%s%s(%s, %s, %s)" % (b['address']['param_direction'].upper(), form,
                                                   b['address']['name'], elements,
                                                   b['datatype']['name']))
    return out

def buffer_parameters(f):
    """For each buffer of f the parameters that describe its data; None for one that it lacks."""
    out = []
    for i, p in enumerate(f.parameters):
        if p['kind'] != "BUFFER" or RE.match(r'MPI_(Unp|P)ack', f.name):
            continue
        behind = f.parameters[i + 1:]
        first = lambda test: next((q for q in behind if test(q)), None)
        datatype = first(lambda q: q['kind'] == "DATATYPE")
        if datatype:
            its_own = behind[:behind.index(datatype)]
            out.append({
                'address': p,
                'count': first(lambda q: RE.match(r'(POLY)?XFER_NUM_ELEM', q['kind'])),
                'datatype': datatype,
                'partitions': first(lambda q: q['name'] == "partitions"),
                'displacements': next((q for q in its_own
                                       if RE.match(r'(POLY)?DISPLACEMENT', q['kind'])), None)})
    return out

# ---- the C++ kit ----

# The sets of functions that a tool can name (qmpi.hpp); from the folder in which MPICH keeps them.
SET_OF_DIR = {
    "attr": "attributes", "coll": "collective", "comm": "communicators", "datatype": "datatypes",
    "errhan": "errors", "group": "groups", "info": "infos", "init": "environment",
    "misc": "environment", "mpit": "tool_information", "op": "operations", "part": "partitioned",
    "pt2pt": "point_to_point", "request": "completion", "rma": "rma", "spawn": "processes",
    "timer": "environment", "topo": "topology",
}

# The meaning of a parameter (enum role of qmpi.hpp), by its kind; the first that fits.
ROLES = [
    (r'BUFFER|C_BUFFER', "buffer"),
    (r'DATATYPE$', "datatype"),
    (r'(POLY)?DISPLACEMENT|RMA_DISPLACEMENT', "displacement"),
    (r'OFFSET', "offset"), (r'PARTITION', "partition"), (r'RANK', "rank"), (r'TAG', "tag"),
    (r'COMMUNICATOR', "communicator"), (r'GROUP$', "group"), (r'REQUEST', "request"),
    (r'MESSAGE', "message"), (r'STATUS', "status"), (r'WINDOW$', "window"), (r'FILE$', "file"),
    (r'OPERATION', "operation"), (r'INFO$', "info"), (r'ERRHANDLER', "errhandler"),
    (r'SESSION', "session"), (r'KEYVAL', "keyval"), (r'ATTRIBUTE_VAL', "attribute"),
    (r'LOGICAL', "flag"), (r'ASSERT', "assertion"), (r'STRING(_2D)?(ARRAY)?$', "text"),
    (r'ERROR_(CODE|CLASS)', "error_code"), (r'(POLY)?FUNCTION|EVENT_\w*CB_FUNCTION', "callback"),
    (r'EXTRA_STATE', "extra_state"), (r'ARRAY_LENGTH', "length"),
]

# Ranks that say with whom data is exchanged.
ROLE_OF_RANK = {"root": "root", "source": "source", "dest": "destination", "target_rank": "target"}

def sets(f):
    """Names of the sets that f is in; see qmpi.hpp."""
    gives_request = any(p['kind'] == "REQUEST" and p['param_direction'] == "out" for p in f.parameters)
    out = []
    if f.dir in SET_OF_DIR:
        out.append(SET_OF_DIR[f.dir])
    elif RE.match(r'MPI_Type_', f.name):
        out.append("datatypes")
    elif RE.match(r'MPI_Status_', f.name):
        out.append("completion")
    if RE.match(r'MPI_File_|MPI_Register_datarep', f.name):
        out.append("io")
    if f.dir == "coll" and not any(p['kind'] == "COMMUNICATOR" for p in f.parameters):
        out.remove("collective")            # MPI_Reduce_local
        out.append("operations")
    if f.dir == "coll" and RE.search(r'neighbor', f.name, re.IGNORECASE):
        out.append("neighbourhood")
    if RE.search(r'_init(_c)?$', f.name) and gives_request or RE.match(r'MPI_Start(all)?$', f.name):
        out.append("persistent")
    elif gives_request and not RE.search(r'Grequest', f.name) or RE.match(r'MPI_Im?probe$', f.name):
        out.append("nonblocking")
    if f.is_large:
        out.append("large_count")
    return out

def rank_role(f, p):
    buffers = [q for q in f.parameters if re.match(r'BUFFER|C_BUFFER', q['kind'])]
    # MPICH calls the source of MPI_Precv_init dest
    if p['name'] == "dest" and buffers and all(q['param_direction'] == "out" for q in buffers):
        return "source"
    return ROLE_OF_RANK.get(p['name'], "rank")

def role(f, p):
    if RE.match(r'(POLY)?(XFER|DTYPE)_NUM_ELEM', p['kind']):
        return "count" if "count" in p['name'] else "other"
    for kind, name in ROLES:
        if re.match(kind, p['kind']):
            return rank_role(f, p) if name == "rank" else name
    return "other"

def dump_functions_hpp(path, known, dump_c_file):
    """What the C++ kit knows of each function; included by qmpi.hpp, which explains it."""
    out = begin_header("QMPI_FUNCTIONS_HPP_INCLUDED")
    out += ["#ifndef QMPI_HPP_INCLUDED", "#error \"include qmpi.hpp instead\"", "#endif", "",
            "namespace qmpi {", "inline namespace v1 {",
            "namespace detail {", "",
            "inline constexpr std::uint32_t memberships[MPI_LAST_FUNC_T] = {"]
    out += ["    /* %s */ %s," % (f.name, " | ".join(sets(f)) or "0") for f in known]
    out += ["};", "", "struct every_name {"]
    out += ["    int %s;" % f.name for f in known]
    out += ["};", "", "}  // namespace detail", ""]
    for f in known:
        dump_function_hpp(f, out)
    out += ["}  // inline namespace v1", "}  // namespace qmpi", "",
            "#endif /* QMPI_FUNCTIONS_HPP_INCLUDED */"]
    dump_c_file(path, out)

def dump_function_hpp(f, out):
    params = ["qmpi::varargs varargs" if p == "..." else p for p in f.params]
    form = "%s %s(%s)" % (f.ret, f.name, ", ".join(["qmpi::call<%s> &call" % f.id] + params))
    places = {p['name']: i for i, p in enumerate(f.parameters)}
    place = lambda p: str(places[p['name']]) if p else "none"
    out.append("template <> struct function<%s> : detail::signature<%s> {" % (f.id, f.type))
    out.append("    QMPI_DETAIL_MEMBER(%s, \"%s\")" % (f.name, form))
    out.append("    static constexpr bool returns_error_code = %s;" % str(f.returns_error_code).lower())
    out.append("    static constexpr std::array<parameter, %d> parameters{" % len(f.parameters))
    if f.parameters:
        out.append("        {")
        for p in f.parameters:
            fields = ["\"%s\"" % p['name'], "role::" + role(f, p), "direction::" + p['param_direction']]
            if p['length']:
                fields.append("true")
                if str(p['length']) in places:
                    fields.append(str(places[p['length']]))
            out.append("         {%s}," % ", ".join(fields))
        out[-1] = out[-1][:-1] + "}"
    out[-1] += "};"
    described = buffer_parameters(f)
    out.append("    static constexpr std::array<buffer_parameters, %d> buffers{" % len(described))
    if described:
        out.append("        {")
        for b in described:
            fields = ["direction::" + b['address']['param_direction']]
            fields += [place(b[key]) for key in ("address", "count", "datatype")]
            fields += [place(b[key]) for key in ("partitions", "displacements")]
            while fields[-1] == "none" and len(fields) > 4:
                fields.pop()
            out.append("         {%s}," % ", ".join(fields))
        out[-1] = out[-1][:-1] + "}"
    out[-1] += "};"
    out += ["};", ""]

def dump_functions_c(path, known, dump_c_file):
    """The tables that the runtime indexes by function id, and QMPI_ forms of macros."""
    out = ["#include \"mpiimpl.h\"", "", "#ifdef ENABLE_QMPI", ""]
    for f in known:
        out.append("MPIR_QMPI_HIDDEN extern %s %s;" % (f.type, f.tail))
        if not f.is_variadic:
            out.append("MPIR_QMPI_HIDDEN extern %s %s;" % (f.type, f.bootstrap))
            out += split_line_with_break("MPIR_QMPI_HIDDEN " + f.declare(f.direct), ";", 100)
            out += split_line_with_break("MPIR_QMPI_HIDDEN " + f.declare(f.dispatch), ";", 100)
    # the entry of a variadic function neither jumps nor has a first link before there is a chain
    out += begin_table("const MPIR_QMPI_Link MPIR_QMPI_tail")
    for f in known:
        out += if_available(f, link(f.tail), link("MPIR_QMPI_tail_missing"))
    out += ["};"] + begin_table("const MPIR_QMPI_Link MPIR_QMPI_bootstrap")
    for f in known:
        out += if_available(f, link(f.tail if f.is_variadic else f.bootstrap),
                            link("MPIR_QMPI_tail_missing"))
    out += ["};", "", "#ifdef MPIR_QMPI_HAVE_JUMPS",
            "#define WAY(function_) ((MPIR_QMPI_Any_function *) function_)",
            "#else", "#define WAY(function_) NULL", "#endif"]
    out += begin_table("const MPIR_QMPI_Ways MPIR_QMPI_ways")
    for f in known:
        out += if_available(f, "    {NULL, NULL}," if f.is_variadic else
                            "    {WAY(%s), WAY(%s)}," % (f.direct, f.dispatch), "    {NULL, NULL},")
    out += ["};"] + begin_table("MPIR_QMPI_Head MPIR_QMPI_head")
    for f in known:
        head = "    {{%s}, {&MPIR_QMPI_tail[" + f.id + "]}},"
        out += if_available(f, head % ("NULL" if f.is_variadic else "WAY(%s)" % f.direct),
                            head % "NULL")
    out += ["};", "", "const char *const MPIR_QMPI_function_name[MPI_LAST_FUNC_T] = {"]
    out += ["    \"%s\"," % f.name for f in known]
    out += ["};", ""]
    for handle in MACRO_HANDLES:
        t = handle_type(handle)
        for ret, name, param in (("MPI_Fint", handle + "_c2f", t), (t, handle + "_f2c", "MPI_Fint")):
            out += ["%s QMPI_%s(%s handle)" % (ret, name, param), "{",
                    "    return MPI_%s(handle);" % name, "}", ""]
    out.append("#endif /* ENABLE_QMPI */")
    dump_c_file(path, out)

def begin_table(declarator):
    return ["", declarator + "[MPI_LAST_FUNC_T] = {"]

def link(function):
    return "    {(MPIR_QMPI_Any_function *) %s, 0}," % function

def if_available(f, row, row_without):
    """The row of a table for f, or the other one where the library is built without its feature."""
    if f.feature is None:
        return [row]
    return ["#ifdef " + f.feature, row, "#else", row_without, "#endif"]

def dump_direct_h(path, known, dump_c_file):
    """Sends the calls of code inside the library past the tools."""
    out = begin_header("MPIR_QMPI_DIRECT_H_INCLUDED")
    out += ["/* Included last by parts of the library that call MPI: what they call is not a call of the",
            " * application, so no tool sees it. */",
            "",
            "#include \"mpir_ext.h\"",
            "#if MPIR_EXT_QMPI",
            ""]
    for f in known:
        out += ["#undef " + f.name, "#define %s Q%s" % (f.name, f.name),
                "#define P%s Q%s" % (f.name, f.name)]
    out += ["", "#endif /* MPIR_EXT_QMPI */", "#endif /* MPIR_QMPI_DIRECT_H_INCLUDED */"]
    dump_c_file(path, out)

# ---- mpif.h and use mpi ----

def dump_f77(path, lines):
    """The Fortran functions of MPICH once more as qmpi_x_, calling QMPI_X. lines is their C text."""
    from local_python.binding_c import dump_c_file      # which imports this module
    declared = {}
    body = []
    for l in lines:
        if RE.match(r'(FORT_DLL_SPEC .* FORT_CALL (mpix?_\w+)_\(.*\)) \{', l):
            declared[RE.m.group(2)] = RE.m.group(1)
        l = re.sub(r'(FORT_CALL )(mpix?_\w+_\()', r'\1q\2', l)
        body.append(re.sub(r'(^ *|= |return )(MPIX?_[A-Z]\w*)\(', r'\1Q\2(', l))
    out = ["#define MPIR_QMPI_BYPASS", "#include \"mpi_fortimpl.h\"", "", "#if MPIR_EXT_QMPI", ""]
    # predefined callbacks: the application passes those of MPI_
    for name in sorted(set(re.findall(r'\b(mpi_\w+)_\b', '\n'.join(body))) & set(declared)):
        dump_f77_name(name, False, out)
        out.append("extern %s;" % declared[name])
    for name in declared:
        dump_f77_name("q" + name, True, out)
    out += body + ["#endif /* MPIR_EXT_QMPI */"]
    dump_c_file(path, out)
    # fortran_binding.c is about to be given this header
    G.profile_out.append('#include "mpii_qmpi_fortran.h"')
    dump_c_file("src/qmpi/fortran_functions.h", list_fortran_functions("p" + n for n in declared))

def list_fortran_functions(names):
    """Macro calls for fortran_call_site.c, which has to know the functions of the interfaces."""
    return ["MPIR_QMPI_FORTRAN_FUNCTION(%s, %s)" % (n.lower(), n.upper()) for n in sorted(names)]

def dump_f77_name(name, all_names, out):
    """Fortran compilers know a function by one of four names. Makes name_ stand for that of the
    compiler, and gives it the others as well if all_names."""
    forms = {"F77_NAME_UPPER": name.upper(), "F77_NAME_LOWER": name,
             "F77_NAME_LOWER_USCORE": name + "_", "F77_NAME_LOWER_2USCORE": name + "__"}
    for i, (macro, own) in enumerate(forms.items()):
        out.append("#%s defined(%s)" % ("elif" if i else "if", macro))
        if own != name + "_":
            out.append("#define %s_ %s" % (name, own))
        if all_names:
            out.append("#if defined(USE_WEAK_SYMBOLS) && defined(HAVE_MULTIPLE_PRAGMA_WEAK)")
            out += ["#pragma weak %s = %s" % (form, own) for form in forms.values() if form != own]
            out.append("#endif")
    out.append("#endif")

# ---- mpi_f08 ----

# gen_binding_f08.py is told by -qmpi that the library has QMPI.
def has_qmpi():
    return "qmpi" in G.opts

def f08_call(name):
    """The C function that a procedure of mpi_f08 calls. The base takes PMPI_X, so that PMPI tools in
    C do not see the call; with QMPI it is MPI_X, as in mpif.h."""
    return name if has_qmpi() else "P" + name

def f08_prefixes():
    """Prefixes of the conversions of a status that the module mpi_f08_types gives to C."""
    return ["MPI", "PMPI"] + (["QMPI"] if has_qmpi() else [])

def f08_attribute(name):
    """The C function for an attribute call, which tells how wide the integer is."""
    return re.sub('^MPI_', 'MPII_QMPI_' if has_qmpi() else 'MPII_', name)

def f08_direct(name):
    """The C function for a call that mpi_f08 makes for itself: no tool sees it."""
    return "Q" + name if has_qmpi() else name

# what procedures of mpi_f08 ask the library to know the length of an array argument
F08_QUERIES = ["MPI_Comm_size", "MPI_Cartdim_get", "MPI_Dist_graph_neighbors_count"]

def f08_query(name, uses):
    """Name of the interface to the C function for such a question; entered in uses."""
    interface = re.sub('^MPI_', 'MPIR_QMPI_' if has_qmpi() else 'MPIR_', name) + "_c"
    uses[interface] = 1
    return interface

def dump_f08_queries(dump_interface_function):
    if has_qmpi():
        for name in F08_QUERIES:
            dump_interface_function(G.FUNCS[name.lower()], f08_query(name, {}), f08_direct(name), False)

def dump_f08(func_list, path="src/qmpi/f08"):
    """QMPI_X of mpi_f08: the procedures of MPICH once more, with module, interfaces to C and C
    wrappers of their own, calling the C functions QMPI_X."""
    from local_python import binding_f08 as f08         # which import this module
    from local_python.binding_c import dump_c_file
    if not has_qmpi():
        return
    forms = [(f, large) for f in func_list for large in ([False, True] if f['_need_large'] else [False])]

    def collect(dump, wanted=lambda func: True):
        for func, is_large in forms:
            if wanted(func):
                G.out.append("")
                dump(func, is_large)

    def procedure(l):
        return re.sub(r'(subroutine|function)\s+(MPIX?)_', r'\1 Q\2R_', l, flags=re.IGNORECASE)

    G.check_write_path(path + "/")

    ts_names = [(f08.get_f08ts_name if f08.need_cdesc(f) else f08.get_f08_name)(f, l) for f, l in forms]
    known = list_fortran_functions(ts_names + [re.sub(r'^(MPIX?)_', r'P\1R_', n) for n in ts_names])
    known += ["MPIR_QMPI_C_FUNCTION(%s)" % f08.get_cdesc_name(f, l) for f, l in forms if f08.need_cdesc(f)]
    known += ["MPIR_QMPI_C_FUNCTION(MPIR_Comm_spawn%s_c)" % form for form in ("", "_multiple")]
    dump_c_file("%s/f08_functions.h" % path, known)

    (G.out, G.decls) = ([], [])
    collect(f08.dump_f08_wrappers_c, f08.need_cdesc)
    lines = [d + ";" for d in G.decls] + G.out
    lines = [re.sub(r'\berr = (MPIX?_\w+\()', r'err = Q\1', l) for l in lines]
    lines = [re.sub(r'\b(MPIR_\w+_cdesc(_large)?\()', r'Q\1', l) for l in lines]
    for name in ["comm_spawn", "comm_spawn_multiple"]:
        lines += ["#define MPIR_C%s_c QMPIR_C%s_c" % (name[1:], name[1:]),
                  "#define MPI_C%s QMPI_C%s" % (name[1:], name[1:]),
                  "#include \"%s_c.c\"" % name]
    f08.dump_cdesc_c("%s/qf08_cdesc.c" % path, lines)

    G.out = []
    f08.dump_interface_module_open("qmpi_c_interface")
    collect(f08.dump_mpi_c_interface_cdesc, f08.need_cdesc)
    collect(f08.dump_mpi_c_interface_nobuf, lambda func: not f08.need_cdesc(func))
    lines = [re.sub(r'name="MPII_QMPI_', 'name="MPII_', l) for l in G.out]
    lines = [re.sub(r'name="(MPI[XR]?_)', r'name="Q\1', l) for l in lines]
    G.out = []
    dump_f08_queries(f08.dump_interface_function)
    lines += G.out
    G.out = []
    f08.dump_interface_module_close("qmpi_c_interface")
    f08.dump_f90_file("%s/qmpi_c_interface.f90" % path, lines + G.out)

    G.out = []
    collect(f08.dump_f08_wrappers_f)
    lines = [procedure(l).replace("USE :: mpi_c_interface,", "USE :: qmpi_c_interface,") for l in G.out]
    f08.dump_f90_file("%s/qf08ts.f90" % path, lines)

    G.out = []
    f08.dump_F_module_open("qmpi_f08")
    G.out.append("USE,intrinsic :: iso_c_binding, ONLY: c_ptr")
    for module in ["types", "compile_constants", "link_constants", "callbacks"]:
        G.out.append("USE :: mpi_f08_" + module)
    G.out.append("IMPLICIT NONE")
    for func in func_list:
        name = "Q" + get_function_name(func, False)
        G.out += ["", "INTERFACE " + name, "INDENT"]
        for form, is_large in forms:
            if form is func:
                f08.dump_mpi_f08(func, is_large)
        G.out += ["DEDENT", "END INTERFACE " + name]
    f08.dump_F_module_close("qmpi_f08")
    f08.dump_f90_file("%s/qmpi_f08.f90" % path, [procedure(l) for l in G.out])
