##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

"""The functions of the tool interface (src/qmpi/qmpi_api.txt), made by MPICH's binding generator.

They are not MPI functions that a tool can intercept: no id, no gate, no Fortran binding. So they are
never in G.FUNCS. binding_qmpi.dump_files() calls dump_api(), and writes prototypes() at the end of
mpi_qmpi_proto.h and declarations() in mpir_qmpi_dispatch.h.
"""

from local_python import MPI_API_Global as G
from local_python.mpi_api import *
from local_python.binding_common import *
from local_python import RE

import re
import textwrap

STANZAS = "src/qmpi/qmpi_api.txt"
C_FILE = "src/qmpi/qmpi_api.c"
MAN_DIR = "src/qmpi/man"
MAN_DATE = "2026-11-30"         # of the last change of the text

# Parameter kinds of the interface: C type, and the word for it in manual pages.
KINDS = {
    "TOOL_ID": ("int", "integer"),
    "TOOL_CONTEXT": ("MPI_Context", "handle"),
    "TOOL_FUNCTION": ("MPIX_Tool_function", "function"),
    "TOOL_TEXT": ("const char *", "string"),
    "MPI_FUNCTION_ENUM": ("enum MPI_Functions_enum", "integer"),
    "MPI_FUNCTION_ID": ("int", "integer"),
    "CONTEXT_ID": ("long long", "integer"),
}

# Calling phases: test, message, and when the function can be called, for manual pages.
PHASES = {
    "registration": (None, None, "MPI is initialized, or a call that initializes it has begun"),
    "init": ("!MPIR_QMPI_is_initializing()", "only an init callback of a tool can call this function",
             "the caller is not an init callback"),
    "linked": ("!MPIR_QMPI_is_linked()",
               "the chain of tools is incomplete while init callbacks run; use a ready function",
               "init callbacks have not returned yet"),
}

DOCUMENTS = {
    "proposal": "Proposal for section 15.2.2 of the MPI standard, Function Pointer Interception (QMPI).",
    "MPICH": "Extension of MPICH; not part of the proposal for section 15.2.2 of the MPI standard.",
}

functions = []

def load():
    """Returns the functions of the interface, in the order of STANZAS."""
    if functions:
        return functions
    for kind, (c_type, word) in KINDS.items():
        G.MAPS['SMALL_C_KIND_MAP'][kind] = c_type
        G.MAPS['LIS_KIND_MAP'][kind] = word
    mpi_functions = G.FUNCS
    G.FUNCS = {}
    load_mpi_api(G.get_srcdir_path(STANZAS), "qmpi")
    functions.extend(G.FUNCS.values())
    G.FUNCS = mpi_functions
    for func in functions:
        if func['source'] not in DOCUMENTS:
            raise Exception("%s: %s: unknown source '%s'" % (STANZAS, func['name'], func['source']))
        if 'phase' in func and func['phase'] not in PHASES:
            raise Exception("%s: %s: unknown phase '%s'" % (STANZAS, func['name'], func['phase']))
        func['skip'] = func.get('skip', "") + ", initcheck, Fortran"
        func['_is_large'] = False
        func['_has_poly'] = False
        func['c_parameters'] = func['parameters']
        func['_impl_arg_list'] = [p['name'] for p in func['parameters']]
        func['_impl_param_list'] = [param(p, func) for p in func['parameters']]
    return functions

def param(p, func):
    return get_C_param(p, func, get_kind_map('C')).replace("* *", "**")

def declare(func, prefix=""):
    return "int %s%s(%s)" % (prefix, func['name'], ', '.join(func['_impl_param_list']) or "void")

def prototypes():
    """Lines for mpi_qmpi_proto.h."""
    out = []
    for prefix in ["", "P", "Q"]:
        for func in load():
            line, *rest = split_line_with_break(declare(func, prefix), "MPICH_API_PUBLIC;", 100)
            # Generators of PMPI wrappers find functions by lines such as "int MPI_Send(": they are to
            # pass over these, which are for tools.
            out += line.split(' ', 1) + rest
        out.append("")
    for func in load():
        if 'other_name' in func:
            out.append("#define %s %s" % (func['other_name'], func['name']))
    return out

def impl_name(func):
    return re.sub(r'^MPIX?_', 'MPIR_', func['name']) + "_impl"

def declarations():
    """Of the functions that C_FILE calls."""
    out = []
    for func in load():
        if 'body' not in func:
            out += split_line_with_break(declare(func).replace(func['name'], impl_name(func)), ";", 100)
    return out

# ---- errors ----

def is_exempt(func, p):
    return p['name'] in func['_skip_validate']

def is_pointer(p):
    return is_pointer_type(p) or p['kind'] in ("TOOL_FUNCTION", "TOOL_CONTEXT")

def checks(func):
    """(condition, generic message, specific message, its argument, text for manual pages) for each
    check that the parameter kinds imply. Messages that MPICH has no name for are texts: its table of
    messages is the same without QMPI."""
    out = []
    for p in func['parameters']:
        (name, kind) = (p['name'], p['kind'])
        if is_exempt(func, p):
            continue
        if is_pointer(p):
            out.append(("!" + name, "**nullptr", "**nullptr %s", '"%s"' % name, "%s is NULL" % name))
            if kind == "STRING" and p['length']:
                out.append(("!*%s || strlen(%s) >= %s" % (name, name, p['length']), "**arg",
                            "a name must have 1 to %d characters", p['length'] + " - 1", "%s is empty or too long" % name))
        elif kind == "TOOL_ID":
            (test, text) = ("instance", "no instance has the id %s")
            if func.get('phase') == "init":
                (test, text) = ("registering", "%s is not the instance whose init callback is running")
            out.append(("!MPIR_QMPI_is_%s(%s)" % (test, name), "**arg", "no tool instance has the id %d", name,
                        text % name))
        elif kind in ("MPI_FUNCTION_ENUM", "MPI_FUNCTION_ID"):
            out.append(("(unsigned) %s >= MPI_LAST_FUNC_T" % name, "**arg", "no function has the id %d", name,
                        "no function has the id %s" % name))
    return out

def errors(func):
    """Conditions for each error class, for manual pages."""
    out = {}
    texts = [c[-1] for c in checks(func)]
    nulls = [t[:-len(" is NULL")] for t in texts if t.endswith(" is NULL")]
    texts = [t for t in texts if not t.endswith(" is NULL")]
    if nulls:
        texts.insert(0, alternatives(nulls) + " is NULL")
    if 'MPI_ERR_ARG' in func:
        texts.append(func['MPI_ERR_ARG'])
    if texts:
        out['MPI_ERR_ARG'] = texts
    for key in func:
        if RE.match(r'MPI_ERR_(?!ARG$)', key):
            out[key] = [func[key]]
    if 'phase' in func:
        out.setdefault('MPI_ERR_OTHER', []).insert(0, PHASES[func['phase']][2])
    return out

def alternatives(texts):
    if len(texts) < 2:
        return ''.join(texts)
    comma = "," if len(texts) > 2 or any(" or " in t for t in texts) else ""
    return ", ".join(texts[:-1]) + comma + " or " + texts[-1]

# ---- C code ----

def dump_api(dump_c_file):
    """Writes C_FILE and the manual pages."""
    from local_python import binding_c as c     # which imports the modules of QMPI
    # handles in prototypes are those of the application
    G.out = ["#include \"mpiimpl.h\"", "#ifdef BUILD_MPI_ABI", "#include \"mpi_abi_util.h\"",
             "#include \"mpir_qmpi_abi_types.h\"", "#endif", ""]
    for func in load():
        c.check_func_directives(func)
        dump_man(func)
        c.dump_profiling(func)
        dump_function(func)
    G.check_write_path(C_FILE)
    dump_c_file(C_FILE, G.out)

def dump_function(func):
    arguments = ', '.join(func['_impl_arg_list'])
    if 'code-fast_path' in func:
        # the rest is out of line, so that the fast path needs no stack frame
        internal = re.sub(r'^MPI(X?)_', r'internal\1_', func['name'])
        G.out.append("static ATTRIBUTE((noinline, cold, used))")
        dump_broken_line(declare(func).replace(func['name'], internal))
        G.out += ["{", "INDENT"]
        dump_checks_and_body(func)
        G.out += ["DEDENT", "}", ""]
    dump_broken_line(declare(func))
    G.out += ["{", "INDENT"]
    if 'code-fast_path' in func:
        G.out += func['code-fast_path']
        G.out.append("return %s(%s);" % (internal, arguments))
    else:
        dump_checks_and_body(func)
    G.out += ["DEDENT", "}", ""]
    dump_qmpi_form(func)

def dump_checks_and_body(func):
    G.out += ["int mpi_errno = MPI_SUCCESS;", ""]
    tests = []
    for condition, message, form, args, _ in checks(func):
        tests += ["MPIR_ERR_CHKANDJUMP1(%s, mpi_errno," % condition,
                  "                     MPI_ERR_ARG, \"%s\", \"%s\", %s);" % (message, form, args)]
    if 'phase' in func and PHASES[func['phase']][0]:
        condition, message, _ = PHASES[func['phase']]
        test = ["MPIR_ERR_CHKANDJUMP1(%s, mpi_errno, MPI_ERR_OTHER, \"**other\", \"%%s\"," % condition,
                "                     \"%s\");" % message]
        # without a chain there is no instance, which says more than that the chain is incomplete
        at = len(tests) if func['phase'] == "linked" else 0
        tests[at:at] = test
    G.out += tests
    G.out.append("")
    if 'body' in func:
        G.out += func['body']
    else:
        dump_broken_line("mpi_errno = %s(%s);" % (impl_name(func), ', '.join(func['_impl_arg_list'])))
    # no error handler is called: the interface is used before MPI_Init and after MPI_Finalize
    G.out.append("")
    if tests:
        G.out += ["fn_exit:", "return mpi_errno;", "fn_fail:", "goto fn_exit;"]
    else:
        G.out.append("return mpi_errno;")

def dump_qmpi_form(func):
    name = func['name']
    G.out += ["#ifndef MPICH_MPI_FROM_PMPI", "#ifdef HAVE_PRAGMA_WEAK",
              "#pragma weak Q%s = P%s" % (name, name), "#else"]
    dump_broken_line(declare(func, "Q"))
    G.out += ["{", "    return P%s(%s);" % (name, ', '.join(func['_impl_arg_list'])), "}",
              "#endif", "#endif", ""]

def dump_broken_line(s):
    G.out.extend(split_line_with_break(s, '', 100))

# ---- manual pages ----

TYPEDEFS = {
    "MPI_Tool_init_function": "typedef void (MPI_Tool_init_function) (int tool_id);",
    "MPIX_Tool_ready_function": "typedef void (MPIX_Tool_ready_function) (int tool_id);",
    "MPIX_Tool_world_begin_function":
        "typedef void (MPIX_Tool_world_begin_function) (int tool_id, MPI_Comm comm, const int peers[]);",
    "MPIX_Tool_world_end_function": "typedef void (MPIX_Tool_world_end_function) (int tool_id);",
    "MPIX_Tool_function": "typedef void (*MPIX_Tool_function) (void);",
}

SAFETY = {
    "registration": "Any thread can call this function. It must not be called in a signal handler.",
    "init": "Only the thread that runs the init callback can call this function, inside the callback.",
    "any": "Any thread can call this function at any time, also before MPI is initialized and after it is "
          "finalized. It must not be called in a signal handler.",
    "fast": "Any thread can call this function at any time, also before MPI is initialized and after it is "
            "finalized. It takes no lock. If the arguments are valid, it can also be called in a "
            "signal handler.",
}

def safety(func):
    if func.get('phase') in SAFETY:
        return func['phase']
    return "fast" if func['extra'] == "fast" else "any"

def man_name(func):
    return "%s/%s.3" % (MAN_DIR, func['name'])

def man_pages():
    return sorted([man_name(func) for func in functions]
                  + ["%s/%s.3" % (MAN_DIR, func['other_name']) for func in functions if 'other_name' in func])

def dump_man(func):
    """The manual page of func in section 3."""
    G.check_write_path(man_name(func))
    with open(man_name(func), "w") as Out:
        print("\n".join(man_lines(func)), file=Out)
    if 'other_name' in func:
        with open("%s/%s.3" % (MAN_DIR, func['other_name']), "w") as Out:
            print(".so man3/%s.3" % func['name'], file=Out)

def man_lines(func):
    out = [".\\\" Generated from %s by maint/gen_binding_c.py." % STANZAS,
           ".TH %s 3 %s \"QMPI 1.0\" \"MPI tool interface\"" % (func['name'], MAN_DATE),
           ".SH NAME", "%s \\- %s" % (func['name'], func['desc']),
           ".SH SYNOPSIS", ".nf", ".B #include <mpi.h>"]
    for name, typedef in TYPEDEFS.items():
        if any(re.search(r'\b%s\b' % name, p) for p in func['_impl_param_list']):
            out += [".PP", "\\fB%s\\fP" % typedef]
    out.append(".PP")
    out += ["\\fB%s\\fP" % l for l in split_line_with_break(declare(func) + ";", '', 76)]
    out += [".fi", ".SH PARAMETERS"]
    for p in func['parameters']:
        direction = "output" if p['param_direction'] == 'out' else "input"
        word = G.MAPS['LIS_KIND_MAP'][p['kind']]
        out += [".TP", ".I " + p['name']] + man_text("%s, %s: %s" % (direction, word, p['desc']))
    out.append(".SH DESCRIPTION")
    notes = textwrap.dedent(''.join(func['notes'])).replace("Notes:", "").strip()
    if 'other_name' in func:
        notes += "\n\nIn C and C++, '%s' is another name of this function." % func['other_name']
    notes += "\n\nThe PMPI_ and QMPI_ forms of the function do the same."
    for paragraph in notes.split("\n\n"):
        out += man_text(paragraph) + [".PP"]
    out[-1:] = [".SH RETURN VALUE"]
    out += man_text("MPI_SUCCESS or an error code of one of the classes below. A call that fails "
                    "changes nothing. No error handler is called.")
    out.append(".SH ERRORS")
    for error, texts in sorted(errors(func).items()):
        out += [".TP", ".B " + error] + man_text(sentence(alternatives(texts), func))
    out += [".SH THREAD AND INTERRUPT SAFETY"] + man_text(SAFETY[safety(func)])
    out += [".SH STANDARDS"] + man_text(DOCUMENTS[func['source']])
    out.append(".SH SEE ALSO")
    others = func['seealso'].split(", ")
    out += [".BR %s (3)%s" % (name, "," if name != others[-1] else "") for name in others]
    return out

def sentence(text, func):
    if text.split()[0].rstrip(",") in func['_impl_arg_list']:
        return text + "."
    return text[0].upper() + text[1:] + "."

def man_text(text):
    """Lines of troff; 'x' in text is a name that the user types."""
    text = text.replace("\\", "\\e")
    text = re.sub(r"(?<!\w)'([^']+)'(?!\w)", r"\\fB\1\\fP", text)
    return textwrap.wrap(text, 79, break_on_hyphens=False, break_long_words=False)
