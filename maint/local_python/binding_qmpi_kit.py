##
## Copyright (C) by the QMPI for MPICH developers
##     See COPYRIGHT in top-level directory
##

"""The C++ kit's facts about each function: qmpi_functions.hpp, included by qmpi.hpp, which explains
its types. binding_qmpi.py calls dump_functions_hpp() and describes buffers with buffer_parameters().
"""

from local_python import RE

import re

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

def dump_functions_hpp(path, names, known, dump_c_file):
    """Facts about each function for the C++ kit; included by qmpi.hpp, which explains them."""
    by_name = {f.name: f for f in known}
    out = ["#ifndef QMPI_FUNCTIONS_HPP_INCLUDED", "#define QMPI_FUNCTIONS_HPP_INCLUDED", "",
           "#ifndef QMPI_HPP_INCLUDED", "#error \"include qmpi.hpp instead\"", "#endif", "",
           "namespace qmpi {", "inline namespace v1 {",
           "namespace detail {", "",
           "inline constexpr std::uint32_t memberships[MPI_LAST_FUNC_T] = {"]
    out += ["    /* %s */ %s," % (name, " | ".join(sets(by_name[name])) or "0" if name in by_name else "0")
            for name in names]
    out += ["};", "", "/* Ids of the functions that this library has. */",
            "using function_ids = std::index_sequence<"]
    out += ["    %d," % id for id, name in enumerate(names) if name in by_name]
    out[-1] = out[-1][:-1]
    out += [">;", "", "struct every_name {"]
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
