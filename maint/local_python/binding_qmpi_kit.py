##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

"""The C++ kit's facts about each function: qmpi_functions.hpp, included by qmpi.hpp, which explains
its types. They come from the *_api.txt files and from qmpi_operations.txt, which explains its words.
binding_qmpi.py calls dump_functions_hpp() and describes buffers with buffer_parameters().
"""

from local_python import MPI_API_Global as G
from local_python import RE

import re

DESCRIPTION = "src/binding/qmpi_operations.txt"

# Parameters whose direction the API files of a base have wrong
DIRECTIONS = {("MPI_Precv_init", "buf"): "out"}

def direction(f, p):
    return DIRECTIONS.get((f.name, p['name']), p['param_direction'])

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
                'direction': direction(f, p),
                'count': first(lambda q: RE.match(r'(POLY)?XFER_NUM_ELEM', q['kind'])),
                'datatype': datatype,
                'partitions': first(lambda q: q['name'] == "partitions"),
                'displacements': next((q for q in its_own
                                       if RE.match(r'(POLY)?DISPLACEMENT', q['kind'])), None)})
    return out

# ---- operations ----

SETS = ["point_to_point", "partitioned", "completion", "collective", "rma", "io", "datatypes",
        "attributes", "communicators", "groups", "topology", "operations", "infos", "errors",
        "processes", "environment", "tool_information"]

# Operations and whether they have buffers that are read, and written.
MOVING = {
    "send": (True, False), "receive": (False, True), "sendrecv": (True, True),
    "bcast": (True, True), "gather": (True, True), "scatter": (True, True),
    "allgather": (True, True), "alltoall": (True, True), "reduce": (True, True),
    "allreduce": (True, True), "reduce_scatter": (True, True), "scan": (True, True),
    "exscan": (True, True),
    "put": (True, False), "get": (False, True), "accumulate": (True, False), "fetch": (True, True),
    "compare_and_swap": (True, True), "write": (True, False), "read": (False, True),
}
OF_WINDOWS = ["fence", "lock", "unlock", "lock_all", "unlock_all", "start_access", "end_access",
              "start_exposure", "end_exposure", "flush", "sync"]
OF_REQUESTS = ["start", "ready", "arrived", "wait", "test", "status", "cancel", "complete"]
CREATING = ["create", "initialize", "probe"]
FREEING = ["free", "finalize"]
OPERATIONS = (list(MOVING) + ["probe", "barrier"] + OF_WINDOWS + OF_REQUESTS +
              ["pack", "create", "free", "change", "query", "initialize", "finalize", "abort"])

FORMS = ["nonblocking", "persistent", "partitioned", "enqueued", "begin", "end"]
# Forms of an operation that has not ended when the function returns
STARTING = ["nonblocking", "enqueued"]
INITIALIZING = ["persistent", "partitioned"]

class Description:
    """A line of the description file: sets, operation, form and properties of a function."""
    def __init__(self, sets, words):
        self.sets = sets
        self.operation = words[0] if words and words[0] in OPERATIONS else None
        rest = words[1:]
        self.form = rest.pop(0) if rest and rest[0] in FORMS else "blocking"
        self.is_collective = "collective" in rest
        self.is_neighborhood = "neighborhood" in rest
        known = [word for word in ("collective", "neighborhood") if word in rest]
        self.is_valid = self.operation is not None and rest == known

def load_descriptions(path, registered):
    """{function: Description}. registered: names that may occur."""
    described = {}
    sets, description = [], None
    with open(path) as In:
        for number, line in enumerate(In, 1):
            def fail(what):
                raise Exception("%s:%d: %s" % (path, number, what))
            text = line.split('#')[0].rstrip()
            if not text:
                continue
            if RE.match(r'\[([\w ]+)\]$', text):
                sets, description = RE.m.group(1).split(), None
                if not set(sets) <= set(SETS):
                    fail("unknown set in %s" % text)
                continue
            if RE.match(r'([\w ]+):(.*)', text) and not text.startswith(' '):
                facts, names = RE.m.group(1), RE.m.group(2)
                description = Description(sets, facts.split())
                if not description.is_valid or not sets:
                    fail("not an operation with its form and properties in a set: '%s'" % facts)
            elif text.startswith(' ') and description:
                names = text
            else:
                fail("neither [SET] nor FACTS: FUNCTION ...")
            for name in names.split():
                if name not in registered:
                    fail("%s has no id" % name)
                if name in described:
                    fail("%s is described twice" % name)
                described[name] = description
    return described

def describe(functions, described):
    """Sets f.description of all functions. The two descriptions of a function must agree."""
    problems = []
    for f in functions:
        name = f.name[:-2] if f.is_large else f.name
        if name in described:
            f.description = described[name]
            problems += ["%s: %s" % (f.name, what) for what in contradictions(f)]
        else:
            problems.append(f.name + ": not described")
    if problems:
        raise Exception("%s:\n%s" % (DESCRIPTION, '\n'.join(problems)))

def contradictions(f):
    """Differences between what the API files and the description say about f."""
    d = f.description
    has = lambda kind, direction: any(RE.match(kind + '$', p['kind']) and
                                      p['param_direction'] in direction for p in f.parameters)
    gives_request = has('REQUEST', ['out'])
    if d.form in INITIALIZING and d.operation != "start" and not gives_request:
        yield "%s, but it gives no request" % d.form
    if d.form == "nonblocking" and d.operation != "probe" and not gives_request:
        yield "nonblocking, but it gives no request"
    if gives_request and d.form not in STARTING + INITIALIZING and d.operation != "create":
        yield "gives a request, but is neither nonblocking nor persistent"
    if d.operation in MOVING and d.form != "end":
        directions = {b['direction'] for b in buffer_parameters(f)}
        reads, writes = MOVING[d.operation]
        if reads != bool(directions & {"in", "inout"}):
            yield "%s, but it has %s buffer that is read" % (d.operation, "no" if reads else "a")
        if writes != bool(directions & {"out", "inout"}):
            yield "%s, but it has %s buffer that is written" % (d.operation, "no" if writes else "a")
    elif d.operation not in MOVING and d.operation != "pack" and buffer_parameters(f):
        yield "%s, but it has buffers" % d.operation
    if d.operation in OF_REQUESTS and not has('REQUEST', ['in', 'inout']):
        yield "%s, but it takes no request" % d.operation
    if d.operation in OF_WINDOWS and not has('WINDOW', ['in']):
        yield "%s, but it takes no window" % d.operation
    if d.operation == "free" and not any(effect(f, p) == "frees" for p in f.parameters):
        yield "free, but it takes no handle"
    if d.operation == "create" and not any(effect(f, p) in ("creates", "starts") for p in f.parameters):
        yield "create, but it returns no handle"
    if d.is_neighborhood and not d.is_collective:
        yield "neighborhood, but not collective"

def sets(f):
    """Names of the sets that f is in; see qmpi.hpp."""
    d = f.description
    out = list(d.sets)
    if d.is_neighborhood:
        out.append("neighbourhood")
    if d.form in INITIALIZING:
        out.append("persistent")
    elif d.form in STARTING and (d.operation == "probe" or gives_request(f)):
        out.append("nonblocking")
    if f.is_large:
        out.append("large_count")
    return out

def gives_request(f):
    return any(p['kind'] == "REQUEST" and p['param_direction'] == "out" for p in f.parameters)

# ---- parameters ----

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
    (r'EXTRA_STATE', "extra_state"), (r'ARRAY_LENGTH', "length"), (r'INDEX$', "index"),
]

# Handles: of these roles, or of these kinds that have no role
HANDLES = ["communicator", "group", "datatype", "request", "message", "window", "file", "operation",
           "info", "errhandler", "session", "keyval"]
OTHER_HANDLES = r'STREAM$|CVAR$|PVAR$|PVAR_SESSION$|EVENT_REGISTRATION$|GREQUEST_CLASS$'

# Ranks that say with whom data is exchanged.
ROLE_OF_RANK = {"root": "root", "source": "source", "dest": "destination", "target_rank": "target"}

def rank_role(f, p):
    # MPICH calls the source of MPI_Precv_init dest
    if p['name'] == "dest" and f.description.operation == "receive":
        return "source"
    return ROLE_OF_RANK.get(p['name'], "rank")

def role(f, p):
    if RE.match(r'(POLY)?(XFER|DTYPE)_NUM_ELEM', p['kind']):
        return "count" if "count" in p['name'] else "other"
    for kind, name in ROLES:
        if re.match(kind, p['kind']):
            return rank_role(f, p) if name == "rank" else name
    return "other"

def effect(f, p):
    """Effect of f on the object of a handle parameter (enum effect of qmpi.hpp)"""
    operation, form = f.description.operation, f.description.form
    is_output = direction(f, p) == "out"
    if role(f, p) not in HANDLES and not RE.match(OTHER_HANDLES, p['kind']):
        return "none"
    if p['kind'] == "REQUEST" and is_output:
        return "starts" if form in STARTING else "creates"
    if p['kind'] == "REQUEST" and operation == "start":
        return "starts"
    if p['kind'] == "REQUEST" and operation in ("wait", "test"):
        return "completes"
    if p['kind'] == "MESSAGE" and operation == "receive":
        return "completes"
    # The datatypes of events are predefined
    if operation in CREATING and is_output and not (f.dir == "mpit" and p['kind'] == "DATATYPE"):
        return "creates"
    # MPICH has MPI_T_event_handle_free's handle as an input
    if operation in FREEING and (direction(f, p) == "inout" or p['kind'] == "EVENT_REGISTRATION"):
        return "frees"
    return "none"

# ---- the header ----

def dump_functions_hpp(path, names, known, dump_c_file):
    """Facts about each function for the C++ kit; included by qmpi.hpp, which explains them."""
    from local_python.binding_qmpi import split_by_abi      # which imports this module
    common, others = split_by_abi(known)
    by_name = {f.name: f for f in known}
    describe(known, load_descriptions(G.get_srcdir_path(DESCRIPTION), names))
    out = ["#ifndef QMPI_FUNCTIONS_HPP_INCLUDED", "#define QMPI_FUNCTIONS_HPP_INCLUDED", "",
           "#ifndef QMPI_FUNCTION_HPP_INCLUDED", "#error \"include qmpi.hpp instead\"", "#endif", "",
           "/* mpi.h may have a macro of the function's name; a tool intercepts the function. */"]
    out += ["#undef " + f.name for f in known if RE.match(r'MPI_\w+_(c2f|f2c)$', f.name)]
    out += ["",
           "namespace qmpi {", "inline namespace v1 {",
           "namespace detail {", ""]
    if others:
        out += ["/* Facts about functions that the library of the MPI ABI lacks. */",
                "#ifdef MPIX_QMPI_ABI", "#define QMPI_DETAIL_NOT_IN_ABI(...)", "#else",
                "#define QMPI_DETAIL_NOT_IN_ABI(...) __VA_ARGS__", "#endif", ""]
    lacking = {f.name for f in others}
    out += ["QMPI_DETAIL_HIDDEN inline constexpr facts facts_of[MPI_LAST_FUNC_T] = {"]
    out += ["    /* %s */ {%s}," % (name, ("QMPI_DETAIL_NOT_IN_ABI(%s)" if name in lacking else "%s") %
                                    facts(by_name[name]) if name in by_name else "")
            for name in names]
    out += ["};", "", "/* Ids of the functions that this library has. */"]
    out += ["#ifdef MPIX_QMPI_ABI"] + function_ids(common) + ["#else"] if others else []
    out += function_ids(known) + ["#endif"] * bool(others) + ["", "struct every_name {"]
    out += ["    int %s;" % f.name for f in known]
    out += ["};", "", "}  // namespace detail", ""]
    for f in common:
        dump_function_hpp(f, out)
    out += ["#ifndef MPIX_QMPI_ABI", ""] * bool(others)
    for f in others:
        dump_function_hpp(f, out)
    out += ["#endif /* !MPIX_QMPI_ABI */"] * bool(others)
    out += ["}  // inline namespace v1", "}  // namespace qmpi", "",
            "#endif /* QMPI_FUNCTIONS_HPP_INCLUDED */"]
    dump_c_file(path, out)

def facts(f):
    d = f.description
    return "%s, operation::%s, form::%s, layout::%s, %s" % (
        " | ".join(sets(f)), d.operation, d.form, layout(f), str(d.is_collective).lower())

def layout(f):
    """How f describes blocks of data (enum layout of qmpi.hpp)."""
    described = buffer_parameters(f)
    if any(b['datatype']['length'] for b in described):
        return "typed"
    return "vector" if any(b['count'] and b['count']['length'] for b in described) else "uniform"

def function_ids(functions):
    return (["using function_ids = std::index_sequence<",
             ",\n".join("    %s_T" % f.name.upper() for f in functions), ">;"])

def dump_function_hpp(f, out):
    params = ["qmpi::varargs varargs" if p == "..." else p for p in f.params]
    form = "%s %s(%s)" % (f.ret, f.name, ", ".join(["qmpi::call<%s> &call" % f.id] + params))
    places = {p['name']: i for i, p in enumerate(f.parameters)}
    place = lambda p: str(places[p['name']]) if p else "none"
    out.append("template <> struct function<%s> : detail::signature<%s> {" % (f.id, f.type))
    out.append("    QMPI_DETAIL_MEMBER(%s, \"%s\")" % (f.name, form))
    out.append("    static constexpr bool returns_error_code = %s;" % str(f.returns_error_code).lower())
    out.append("    QMPI_DETAIL_HIDDEN static constexpr std::array<parameter, %d> parameters{" % len(f.parameters))
    if f.parameters:
        out.append("        {")
        for p in f.parameters:
            fields = ["\"%s\"" % p['name'], "role::" + role(f, p), "direction::" + direction(f, p)]
            if p['length'] or effect(f, p) != "none":
                fields.append("effect::" + effect(f, p))
            if p['length']:
                fields.append("true")
                if str(p['length']) in places:
                    fields.append(str(places[p['length']]))
            out.append("         {%s}," % ", ".join(fields))
        out[-1] = out[-1][:-1] + "}"
    out[-1] += "};"
    described = buffer_parameters(f)
    out.append("    QMPI_DETAIL_HIDDEN static constexpr std::array<buffer_parameters, %d> buffers{" % len(described))
    if described:
        out.append("        {")
        for b in described:
            fields = ["direction::" + b['direction']]
            fields += [place(b[key]) for key in ("address", "count", "datatype")]
            fields += [place(b[key]) for key in ("partitions", "displacements")]
            while fields[-1] == "none" and len(fields) > 4:
                fields.pop()
            out.append("         {%s}," % ", ".join(fields))
        out[-1] = out[-1][:-1] + "}"
    out[-1] += "};"
    out += ["};", ""]
