#!/usr/bin/env python3
# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Small wrong programs, each with its right twin, made for every function that can have an error of a class, from the
description of MPI that is installed with QMPI (qmpi_functions.hpp).

    collection.py list  --prefix=DIR [SELECTION]                  names of the programs
    collection.py write --prefix=DIR [SELECTION] FOLDER           the programs
    collection.py run   --prefix=DIR [SELECTION] [--jobs=N] [--way=WAY]
                                                   run all under check; prints found/tried by class

WAY: thread    programs in C; a second thread makes all calls, while the first one communicates with another tag
     spawned   programs in C, in processes that another program has spawned
     merged    programs in C, in a process and one that it has spawned, which have a communicator in place of
               MPI_COMM_WORLD
     session   programs in C without files, which MPICH does not open there, with the communicators of a session in place
               of MPI_COMM_WORLD and MPI_COMM_SELF
SELECTION: [--class=WORDS]... [--name=REGEX] [--part=N [--seed=N]]   one of N programs, drawn by the seed

A class of errors is a function that yields cases, registered with @template. The wrong twin marks the lines at which
the tool must find something; the right one differs in those lines only.
"""

import argparse
import concurrent.futures
import contextlib
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

LINE = re.compile(r"^QMPI check: (?:rank \d+: )?(\w+) at (\S+?):(\d+): ([a-z ]+): ", re.M)


# ---- the description of MPI ----

@dataclass
class Parameter:
    name: str
    type: str
    role: str
    direction: str
    effect: str
    is_array: bool

    @property
    def is_large(self):
        return "MPI_Count" in self.type or "MPI_Aint" in self.type


@dataclass
class Function:
    name: str
    parameters: list
    sets: set
    operation: str
    form: str
    is_collective: bool
    buffers: list = field(default_factory=list)     # indices of address, count and datatype

    def has(self, role, direction="in"):
        return any(one.role == role and one.direction == direction for one in self.parameters)

    @property
    def makes(self):
        """The parameter that is a new object, or None."""
        return next((one for one in self.parameters if one.effect == "creates" and not one.is_array), None)

    @property
    def gives_request(self):
        return self.has("request", "out")


def functions_of(header):
    """{name: Function} of an installed qmpi_functions.hpp, without extensions."""
    text = header.read_text()
    facts = dict(re.findall(r"/\* (MPI_\w+) \*/ \{(?:QMPI_DETAIL_NOT_IN_ABI\()?(.*?)\)?\},", text))
    found = {}
    for match in re.finditer(r'QMPI_DETAIL_MEMBER\((MPI_(?!T_)\w+), "\w+ \w+\(qmpi::call<\w+> &call(?:, (.*?))?\)"\)(.*?)\n\};', text, re.S):
        name, arguments, body = match.groups()
        types = [re.sub(r"(\w+)(?=(\[.*\])?$)", "", one).strip() for one in arguments.split(", ")] if arguments else []
        listed, _, buffers = body.partition("buffers{")
        parameters = []
        for one, kind in zip(re.findall(r'\{("[^}]*)\}', listed), types):
            words = [word.strip().strip('"').split("::")[-1] for word in one.split(",")]
            parameters.append(Parameter(words[0], kind, words[1], words[2], words[3] if len(words) > 3 else "none",
                                        "true" in words))
        fact = [word.strip() for word in facts.get(name, "").split(",")]
        if len(fact) == 5:
            found[name] = Function(name, parameters, set(fact[0].split(" | ")), fact[1][11:], fact[2][6:], fact[4] == "true",
                                   [tuple(map(int, one)) for one in
                                    re.findall(r"direction::\w+, (\d+), (\d+), (\d+)", buffers)])
    return found


# ---- calls ----

# Expressions for arguments, by name; otherwise by role.
NAMED = {"argc": "0", "color": "0", "key": "rank", "ndims": "1", "dims": "(int[]) {1}", "maxdims": "1", "nnodes": "1",
         "order": "MPI_ORDER_C", "array_of_sizes": "ones", "array_of_subsizes": "ones", "array_of_starts": "zeros",
         "array_of_gsizes": "ones", "array_of_psizes": "ones", "array_of_distribs": "(int[]) {MPI_DISTRIBUTE_BLOCK}",
         "array_of_dargs": "(int[]) {MPI_DISTRIBUTE_DFLT_DARG}", "size": "sizeof out", "disp_unit": "sizeof(int)",
         "blocklength": "1", "array_of_blocklengths": "ones", "stride": "2", "lb": "0", "extent": "8",
         "split_type": "MPI_COMM_TYPE_SHARED", "periods": "ones", "remain_dims": "ones", "reorder": "0", "high": "rank",
         "amode": "MPI_MODE_CREATE | MPI_MODE_RDWR", "filename": '"collection"', "indegree": "1", "outdegree": "1",
         "sourceweights": "MPI_UNWEIGHTED", "destweights": "MPI_UNWEIGHTED", "weights": "MPI_UNWEIGHTED", "indx": "ones",
         "edges": "zeros", "degrees": "ones", "ranks": "zeros", "array_of_types": "ints", "base": "other",
         "baseptr": "&memory", "n": "1", "sources": "zeros", "destinations": "zeros", "commute": "1", "datarep": '"native"',
         "whence": "MPI_SEEK_SET", "lock_type": "MPI_LOCK_SHARED", "direction": "0", "disp": "0", "coords": "zeros",
         "stringtag": '"collection"', "local_leader": "0", "remote_leader": "1 - rank", "peer_comm": "MPI_COMM_WORLD",
         "typeclass": "MPI_TYPECLASS_INTEGER", "position": "&position", "outsize": "sizeof out", "insize": "sizeof in",
         "user_fn": "add", "comm_errhandler_fn": "handle", "win_errhandler_fn": "handle_window", "ranges": "range",
         "file_errhandler_fn": "handle_file", "session_errhandler_fn": "handle_session", "compare_addr": "in + 8"}
ROLES = {"count": "1", "datatype": "MPI_INT", "communicator": "comm", "root": "0", "destination": "peer", "source": "peer",
         "target": "rank", "tag": "5", "operation": "MPI_SUM", "window": "window", "file": "file", "group": "group",
         "info": "MPI_INFO_NULL", "displacement": "0", "offset": "0", "assertion": "0", "rank": "0", "status": "&status",
         "length": "1", "errhandler": "MPI_ERRORS_RETURN", "flag": "&flag"}
LARGE = {"ones": "ones_c", "apart": "apart_c", "zeros": "zeros_c"}


def expression(function, index, values):
    """The argument of a right call. values overrides it by name, then by role."""
    own = function.parameters[index]
    if own.name in values:
        return values[own.name]
    if own.direction == "out" and own.effect == "creates" and own.role in TYPES and not own.is_array:
        return f"&made_{own.role}"
    if own.role in values:
        return values[own.role]
    if own.role == "communicator" and ONLY_INTER.match(function.name):
        return "inter"
    # The new one has one process; with UCX, processes of MPICH 5.0.1 share no memory.
    if own.role == "communicator" and re.match("MPI_(Cart_create|Graph_create|Win_allocate_shared)", function.name):
        return "self"
    if own.role == "request":
        return "&request" if "*" in own.type or own.is_array else "request"
    if own.role == "buffer" and own.name not in NAMED:
        return "out" if own.direction == "out" or own.direction == "inout" else "in"
    if own.role == "message":
        return "&message"
    if own.is_array and own.role in ("count", "displacement"):
        text = "ones" if own.role == "count" else "apart"
        return LARGE[text] if own.is_large else text
    if own.is_array and own.role == "datatype":
        return "ints"
    if own.name in NAMED:
        text = NAMED[own.name]
        return LARGE.get(text, text) if own.is_large else text
    if own.role in ROLES and (own.direction == "in" or own.role in ("status", "flag")):
        text = ROLES[own.role]
        return "0" if text == "&flag" and own.direction == "in" else text
    if own.direction != "in":
        return "&number" if "Count" not in own.type else "&large"
    return None


def call(function, **values):
    """Text of a right call, but for the values; None if an argument is unknown."""
    arguments = [expression(function, i, values) for i in range(len(function.parameters))]
    return None if None in arguments else f"{function.name}({', '.join(arguments)});"


TYPES = {"communicator": "MPI_Comm", "group": "MPI_Group", "datatype": "MPI_Datatype", "operation": "MPI_Op",
         "window": "MPI_Win", "file": "MPI_File", "info": "MPI_Info", "errhandler": "MPI_Errhandler"}
FREE = {"communicator": "MPI_Comm_free", "group": "MPI_Group_free", "datatype": "MPI_Type_free", "operation": "MPI_Op_free",
        "window": "MPI_Win_free", "file": "MPI_File_close", "info": "MPI_Info_free", "errhandler": "MPI_Errhandler_free"}


def is_large(function):
    return function.name.endswith("_c")


def finish(function):
    """Lines that complete the operation of a function."""
    if not function.gives_request:
        return []
    if function.form == "persistent":
        return ["MPI_Start(&request);", "MPI_Wait(&request, MPI_STATUS_IGNORE);", "MPI_Request_free(&request);"]
    return ["MPI_Wait(&request, MPI_STATUS_IGNORE);"]


def is_collective_data(function):
    return (function.is_collective and "collective" in function.sets and function.form != "enqueued" and
            not function.name.endswith("_enqueue"))


def is_message(function):
    return ("point_to_point" in function.sets and bool(function.buffers) and function.form != "enqueued" and
            function.operation in ("send", "receive", "sendrecv") and not function.has("message", "inout"))


def is_access(function):
    return "rma" in function.sets and function.has("target")


# Lines that begin and end an epoch of two processes, in which both are targets
EPOCHS = {"fence": ("MPI_Win_fence(0, window);", "MPI_Win_fence(0, window);"),
          "start": ("MPI_Win_post(group, 0, window); MPI_Win_start(group, 0, window);",
                    "MPI_Win_complete(window); MPI_Win_wait(window);"),
          "lock": ("MPI_Win_lock_all(0, window);", "MPI_Win_unlock_all(window);")}


def setup(function):
    """Lines before and after the calls of a function, and the values that its arguments have."""
    before, after, values = [], [], {}
    if "neighbourhood" in function.sets:
        values["communicator"] = "ring"
    if "bsend" in function.name.lower():
        before, after = ["MPI_Buffer_attach(space, sizeof space);"], ["MPI_Buffer_detach(&memory, &number);"]
    if is_access(function):
        before, after = ([line] for line in EPOCHS["lock"])
    return before, after, values


def setups(function, but=()):
    """(suffix, values) of setup() and, for collective operations that can be on one, with an intercommunicator of two
    groups of one process: the first one has the root. but: operations without the second."""
    _, _, values = setup(function)
    yield "", values
    if "neighbourhood" not in function.sets and function.operation not in ("scan", "exscan", *but):
        yield "-inter", {**values, "communicator": "inter", "root": "rank == 0 ? MPI_ROOT : 0"}


# ---- programs ----

HEAD = """/* {name} */
#include <mpi.h>
#include <stddef.h>

static void add(void *in, void *out, int *count, MPI_Datatype *type) {{}}
static void handle(MPI_Comm *comm, int *error, ...) {{}}
static void handle_window(MPI_Win *window, int *error, ...) {{}}
static void handle_file(MPI_File *file, int *error, ...) {{}}
static void handle_session(MPI_Session *session, int *error, ...) {{}}

int main(int argc, char **argv)
{{
    int rank, peer, number, flag, position = 0, in[64] = {{0}}, out[64] = {{0}}, other[64] = {{0}}, space[4096];
    int ones[4] = {{1, 1, 1, 1}}, zeros[4] = {{0}}, apart[4] = {{0, 4, 8, 12}}, minus[4] = {{-1, -1, -1, -1}}, range[1][3] = {{{{0, 0, 1}}}};
    MPI_Count ones_c[4] = {{1, 1, 1, 1}}, minus_c[4] = {{-1, -1, -1, -1}}, large;
    MPI_Aint zeros_c[4] = {{0}}, apart_c[4] = {{0, 4, 8, 12}};
    MPI_Datatype ints[4] = {{MPI_INT, MPI_INT, MPI_INT, MPI_INT}}, uncommitted;
    MPI_Request request = MPI_REQUEST_NULL, second = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Comm comm, self, ring, self_ring, inter;
    MPI_Group group;
    MPI_Win window;
    MPI_File file;
    void *memory;
    MPI_Comm made_communicator;
    MPI_Group made_group;
    MPI_Datatype made_datatype;
    MPI_Op made_operation;
    MPI_Win made_window;
    MPI_File made_file;
    MPI_Info made_info;
    MPI_Errhandler made_errhandler;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Cart_create(comm, 1, (int[]) {{2}}, ones, 0, &ring);
    MPI_Cart_create(self, 1, ones, ones, 0, &self_ring);
    MPI_Intercomm_create(self, 0, comm, 1 - rank, 9, &inter);
    MPI_Comm_group(comm, &group);
    MPI_Win_create(other, sizeof other, sizeof(int), MPI_INFO_NULL, comm, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_File_open(self, rank == 0 ? "{file}.0" : "{file}.1", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    peer = 1 - rank;
"""
TAIL = """    MPI_Type_free(&uncommitted);
    MPI_File_close(&file);
    MPI_Win_free(&window);
    MPI_Group_free(&group);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&self_ring);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&self);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
"""
FORTRAN_HEAD = """! {name}
program collection
    use mpi_f08
    implicit none
    integer :: rank, peer, in(64) = 0, out(64) = 0, ones(4) = 1, zeros(4) = 0, apart(4) = [0, 4, 8, 12], minus(4) = -1, error
    type(MPI_Comm) :: comm, self
    type(MPI_Datatype) :: uncommitted
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    call MPI_Init()
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_dup(MPI_COMM_SELF, self)
    call MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN)
    call MPI_Comm_rank(comm, rank)
    call MPI_Type_contiguous(1, MPI_INTEGER, uncommitted)
    peer = 1 - rank
"""
FORTRAN_TAIL = """    call MPI_Type_free(uncommitted)
    call MPI_Comm_free(self)
    call MPI_Comm_free(comm)
    call MPI_Finalize()
end program
"""


# Included before a program, which becomes a function.
BEGIN = """#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
int program(int argc, char **argv);
"""
END = """#define main program
#define MPI_Init(argc, argv) 0
#define MPI_Finalize() 0
"""
WAYS = {
    "thread": BEGIN + """static void *run(void *unused)
{
    program(0, NULL);
    return unused;
}
int main(int argc, char **argv)
{
    int provided, rank, value = 0;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, run, NULL);
    for (int i = 0; i < 20; i++)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 77, 1 - rank, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
    return MPI_Finalize();
}
""" + END,
    "spawned": BEGIN + """int main(int argc, char **argv)
{
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &parent, MPI_ERRCODES_IGNORE);
    else
        program(argc, argv);
    MPI_Comm_disconnect(&parent);
    return MPI_Finalize();
}
""" + END,
    "merged": BEGIN + """static MPI_Comm world;
int main(int argc, char **argv)
{
    MPI_Comm other;
    int is_child;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&other);
    is_child = other != MPI_COMM_NULL;
    if (!is_child)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(other, is_child, &world);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* gets errors of MPI_COMM_NULL */
    program(argc, argv);
    MPI_Comm_free(&world);
    MPI_Comm_disconnect(&other);
    return MPI_Finalize();
}
#undef MPI_COMM_WORLD
#define MPI_COMM_WORLD world
""" + END,
    "session": BEGIN + """static MPI_Comm world, alone;
static MPI_Comm all_of(MPI_Session session, const char *set)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, set, &group);
    MPI_Comm_create_from_group(group, set, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    return comm;
}
int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    world = all_of(session, "mpi://WORLD");
    alone = all_of(session, "mpi://SELF");
    program(argc, argv);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&world);
    return MPI_Session_finalize(&session);
}
#define MPI_File_open(comm, name, mode, info, file) 0
#define MPI_File_close(file) 0
#undef MPI_COMM_WORLD
#undef MPI_COMM_SELF
#define MPI_COMM_WORLD world
#define MPI_COMM_SELF alone
""" + END,
}


@dataclass
class Case:
    """A wrong program and its right twin. Lines are text, or (wrong, right) where they differ; None leaves one out."""
    kind: str               # of the finding; several kinds if one is enough: "a|b"
    name: str
    lines: list
    options: str = ""
    extension: str = ".c"

    def text(self, is_wrong):
        """The program, and the lines at which something must be found."""
        c = self.extension == ".c"
        head, tail = (HEAD, TAIL) if c else (FORTRAN_HEAD, FORTRAN_TAIL)
        text = head.format(name=self.name, file=re.sub(r"\W", "-", self.name) + ("-wrong" if is_wrong else "-right"))
        marked = set()
        for line in self.lines:
            is_marked = False
            if isinstance(line, tuple):
                is_marked = is_wrong and len(line) == 2
                line = line[0 if is_wrong else 1]
            if line is not None:
                text += f"    {line}\n"
                if is_marked:
                    marked.add(text.count("\n"))
        return text + tail, marked

    @property
    def kinds(self):
        return set(self.kind.split("|"))


TEMPLATES = {}


def template(name):
    """A class of errors: a function of {name: Function} that yields cases."""
    def register(make):
        TEMPLATES[name] = make
        return make
    return register


# Wrong values, by name and by role. Only what is wrong by itself.
WRONG_NAMED = {"color": "-5", "ndims": "-1", "order": "3", "blocklength": "-1", "array_of_blocklengths": "minus",
               "array_of_sizes": "minus", "array_of_subsizes": "minus", "array_of_starts": "minus", "array_of_gsizes": "minus",
               "array_of_psizes": "minus", "array_of_distribs": "minus", "disp_unit": "0", "split_type": "4711",
               "amode": "MPI_MODE_RDONLY | MPI_MODE_WRONLY", "indegree": "-1", "outdegree": "-1", "whence": "4711",
               "lock_type": "4711", "direction": "7", "nnodes": "-1", "n": "-1", "ranks": "minus", "typeclass": "4711"}
WRONG = {"count": "-1", "datatype": "MPI_DATATYPE_NULL", "communicator": "MPI_COMM_NULL", "root": "99", "destination": "99",
         "source": "99", "target": "99", "tag": "-5", "operation": "MPI_OP_NULL", "window": "MPI_WIN_NULL",
         "file": "MPI_FILE_NULL", "group": "MPI_GROUP_NULL", "length": "-1", "assertion": "1", "keyval": "MPI_KEYVAL_INVALID"}

# MPICH 4.0.2 crashes, after check has reported the call.
CRASHES = {"MPI_Reduce_local": ("inbuf-null", "inoutbuf-null"), "MPI_Type_create_darray": ("array_of_distribs",)}


def in_order(function):
    """Wrong counts and one that crashes last."""
    crashes = CRASHES.get(function.name, ())
    return sorted((one for one in wrong_values(function) if one[0] not in crashes[1:]),
                  key=lambda one: (one[0] in crashes, "count" in one[0]))


# Functions that need another kind of communicator than the one that is given here.
NOT_INTER = re.compile(r"MPI_(I?(ex)?scan|(Cart|Graph|Dist_graph)_create|Intercomm_create$|Win_(create(?!_keyval)|allocate)|File_open)",
                       re.I)
ONLY_INTER = re.compile("MPI_(Comm_remote_(size|group)|Intercomm_merge)$")
ONLY_TOPOLOGY = re.compile("MPI_(Cart_(coords|get|rank|shift|sub)|Cartdim_get|Graph_(get|neighbors)|Graphdims_get|"
                           "Dist_graph_neighbors|I?neighbor)", re.I)


def wrong_communicator(name):
    """A communicator of another kind; None if the function takes all."""
    for names, other in ((NOT_INTER, "inter"), (ONLY_INTER, "self"), (ONLY_TOPOLOGY, "self")):
        if names.match(name):
            return other
    return None


NO_OBJECT_NEEDED = {"MPI_File_get_errhandler", "MPI_File_set_errhandler", "MPI_File_call_errhandler", "MPI_Abort"}


def wrong_values(function):
    """(what, {name: value}) for each argument that can be wrong by itself."""
    data = set(itertools.chain(*function.buffers))
    for i, own in enumerate(function.parameters):
        if own.direction != "in" and not (own.role == "buffer" and i in data):
            continue
        if own.name == "peer_comm" or own.role == "file" and function.name in NO_OBJECT_NEEDED or own.name == "remote_leader":
            continue
        if own.role == "communicator" and function.name in NO_OBJECT_NEEDED or "resultlen" in [one.name for one in function.parameters]:
            continue
        if own.role == "buffer":
            # the first process of an exclusive scan gets no result
            if i in data and not own.is_array and (function.operation, own.name) != ("exscan", "recvbuf"):
                yield f"{own.name}-null", {own.name: "NULL"}
        elif own.is_array and own.role == "count":
            yield own.name, {own.name: "minus_c" if own.is_large else "minus"}
        elif own.is_array and own.role == "datatype":
            continue
        elif own.name in WRONG_NAMED:
            yield own.name, {own.name: WRONG_NAMED[own.name]}
        elif own.role in WRONG and not own.is_array:
            yield own.name, {own.name: WRONG[own.role]}
            if own.role == "datatype" and i in data and function.operation not in (
                    "reduce", "allreduce", "reduce_scatter", "scan", "exscan", "pack"):
                yield f"{own.name}-uncommitted", {own.name: "uncommitted"}


def within(function, own):
    """Lines in which one process calls a function of point-to-point communication, and the other its counterpart; for
    others, the lines themselves."""
    if not is_message(function) or function.operation == "sendrecv":
        return own
    if function.operation == "send":
        return ["if (rank == 1) MPI_Irecv(other, 1, MPI_INT, 0, 5, comm, &second);", "MPI_Barrier(comm);", "if (rank == 0) {",
                *own, "} else", "    MPI_Wait(&second, MPI_STATUS_IGNORE);"]
    return ["if (rank == 1) {", *own, "} else", "    MPI_Send(in, 1, MPI_INT, 1, 5, comm);"]


def right_call(function):
    """Lines with a right call of a function: the processes call it together."""
    _, _, values = setup(function)
    if is_message(function):
        return within(function, [call(function, **values), *finish(function)])
    if function.makes is not None and function.makes.role in FREE and not is_large(function):
        if function.name in ("MPI_Intercomm_merge", "MPI_Cart_sub", "MPI_Intercomm_create"):
            return []
        return [call(function, **values), *(["MPI_Wait(&request, MPI_STATUS_IGNORE);"] if function.gives_request else []),
                f"{FREE[function.makes.role]}(&made_{function.makes.role});"]
    if is_collective_data(function) or is_access(function):
        return [call(function, **values), *finish(function)]
    return []


# Functions that also communicate with others, or that change what they get
SKIPPED = re.compile(r"MPI_(Abort|Init|Finalize|Session|Comm_(spawn|join|accept|connect|disconnect|get_parent)|Pcontrol|"
                     r".*_(c2f|f2c|toint|fromint)$|Pready|Parrived|P(send|recv)_init|Grequest|.*_(begin|end)(_c)?$|Buffer|Register|.*from_group|"
                     r"Free_mem|File_get_view|Win_(attach|detach|shared_query)|Status|Open_port|Close_port|.*_name$|Type_get_contents|Info_)")


@template("invalid argument")
def invalid_arguments(functions):
    """Each process makes the wrong call alone, so that all arguments are significant and nobody waits."""
    families = {"point_to_point", "collective", "rma", "io", "datatypes", "communicators", "groups", "topology", "operations",
                "completion", "attributes"}
    for function in functions.values():
        if SKIPPED.match(function.name) or not function.sets & families:
            continue
        before, after, _ = setup(function)
        alone = {"communicator": "self_ring" if "topology" in function.sets and function.operation == "query" or
                 "neighbourhood" in function.sets else "inter" if ONLY_INTER.match(function.name) else "self",
                 "destination": "0", "source": "0"}
        lines = [call(function, **{**alone, **values}) for what, values in in_order(function)
                 if "count" in what or not is_large(function)]
        if any(lines):
            yield Case("invalid argument", function.name,
                       [*before, *((line, None) for line in lines if line), *right_call(function), *after])
        other = wrong_communicator(function.name)
        if other and not is_large(function):
            yield Case("invalid argument", f"{function.name}-kind",
                       [(call(function, **{**alone, "communicator": other}), None), *right_call(function)])


FORTRAN = {"datatype": "MPI_INTEGER", "request": "request", "status": "status"}


def has_fortran(function):
    """Communicates, with arguments that the Fortran programs have."""
    return (is_collective_data(function) or is_message(function)) and not is_large(function) and \
        "neighbourhood" not in function.sets and \
        not any("MPI_Aint" in one.type or one.name == "sendtypes" for one in function.parameters)


def fortran(line):
    """A line of C as one of Fortran."""
    return "call " + (line[:-2] + ", error)").replace("&", "")


@template("invalid argument, Fortran")
def invalid_arguments_fortran(functions):
    for function in filter(has_fortran, functions.values()):
        names = {**FORTRAN, "communicator": "self", "destination": "0", "source": "0"}
        lines = [call(function, **{**names, **values}) for what, values in in_order(function) if not what.endswith("-null")]
        yield Case("invalid argument", f"{function.name}-f08", [(fortran(line), None) for line in lines if line],
                   extension=".F90")


# Give a handle that is predefined, or that the program has already.
NOTHING_NEW = {"MPI_Comm_get_errhandler", "MPI_Errhandler_get", "MPI_File_get_errhandler", "MPI_Win_get_errhandler",
               "MPI_Comm_group", "MPI_Group_difference"}


@template("leak")
def leaks(functions):
    for function in functions.values():
        made = function.makes
        if made is None or made.role not in FREE or SKIPPED.match(function.name) and "Info_create" != function.name[4:15] or \
                is_large(function):
            continue
        if function.name in NOTHING_NEW:
            continue
        values = {"communicator": "ring"} if function.name == "MPI_Cart_sub" else {}
        if function.name == "MPI_Intercomm_create":
            values = {"local_comm": "self"}
        if function.name == "MPI_Intercomm_merge":
            continue
        line = call(function, **values)
        if line is None:
            continue
        free = f"{FREE[made.role]}(&made_{made.role});"
        finishing = ["MPI_Wait(&request, MPI_STATUS_IGNORE);"] if function.gives_request else []
        lines = [(line, line), *finishing, (None, free, "")]
        if function.name == "MPI_Win_get_group":    # MPICH 5 gives the same handle for that of the communicator
            lines = ["MPI_Group_free(&group);", *lines, "MPI_Comm_group(comm, &group);"]
        yield Case("leak", function.name, lines)
    for function in functions.values():
        if function.form == "persistent" and function.gives_request and not is_large(function) and \
                (is_collective_data(function) or is_message(function)):
            before, after, values = setup(function)
            line = call(function, **{"destination": "MPI_PROC_NULL", "source": "MPI_PROC_NULL", **values})
            yield Case("leak", function.name, [*before, (line, line), (None, "MPI_Request_free(&request);", ""), *after])


@template("freed handle")
def freed_handles(functions):
    objects = {"communicator": ("MPI_Comm", "MPI_Comm_dup(self, &made_communicator);"),
               "datatype": ("MPI_Datatype", "MPI_Type_contiguous(1, MPI_INT, &made_datatype); MPI_Type_commit(&made_datatype);"),
               "operation": ("MPI_Op", "MPI_Op_create(add, 1, &made_operation);"),
               "group": ("MPI_Group", "MPI_Group_incl(group, 1, zeros, &made_group);")}
    for function in functions.values():
        if SKIPPED.match(function.name) or is_large(function):
            continue
        before, after, _ = setup(function)
        for role, (kind, make) in objects.items():
            own = next((one for one in function.parameters if one.role == role and one.direction == "in" and not one.is_array), None)
            if own is None or own.name == "peer_comm":
                continue
            line = call(function, **{"communicator": "self_ring" if "neighbourhood" in function.sets else "self",
                                     "destination": "0", "source": "0", own.name: f"gone_{role}"})
            if line:
                # one program for each, as the library may crash
                yield Case("freed handle", f"{function.name}-{role}",
                           [*before, make, f"{kind} gone_{role} = made_{role};", f"{FREE[role]}(&made_{role});", (line, None),
                            *right_call(function), *after])


@template("buffer overlap")
def overlaps(functions):
    """A receive is pending while the function uses its buffer."""
    for function in functions.values():
        if not (is_collective_data(function) or is_message(function)) or not function.buffers or is_large(function):
            continue
        before, after, values = setup(function)
        written = [function.parameters[one[0]] for one in function.buffers]
        own = next((one for one in written if one.direction != "in"), written[0])
        line = call(function, **{**values, own.name: "space"})
        if function.form == "persistent":
            own_lines = [line, ("MPI_Start(&request);", "MPI_Start(&request);")] + finish(function)[1:]
        else:
            own_lines = [(line, line)] + finish(function)
        pend = "MPI_Irecv(%s, 1, MPI_INT, 0, 77, self, &pending);"
        yield Case("buffer overlap", function.name,
                   ["MPI_Request pending;", *before, (pend % "space", pend % "other + 8", ""), *within(function, own_lines),
                    "MPI_Send(in + 9, 1, MPI_INT, 0, 77, self);", "MPI_Wait(&pending, MPI_STATUS_IGNORE);", *after])


@template("pending request")
def pending_requests(functions):
    for function in functions.values():
        if not (is_collective_data(function) or is_message(function)) or not function.gives_request or \
                is_large(function):
            continue
        before, after, values = setup(function)
        line = call(function, **values)
        if function.form == "persistent":
            lines = [(line, line), "MPI_Start(&request);", (None, "MPI_Wait(&request, MPI_STATUS_IGNORE);", ""),
                     (None, "MPI_Request_free(&request);", "")]
        else:
            lines = [(line, line), (None, "MPI_Wait(&request, MPI_STATUS_IGNORE);", "")]
        yield Case("pending request", function.name, [*before, *within(function, lines), "MPI_Barrier(comm);", *after])


# The groups of an intercommunicator may divide the data differently.
UNCOMPARED = ("reduce_scatter",)


def compared(functions):
    """Functions whose data is compared between processes, or could be."""
    for function in functions.values():
        if is_collective_data(function) and function.buffers and not is_large(function):
            yield function


@template("type mismatch")
def type_mismatches(functions):
    for function in functions.values():
        if is_message(function) and not is_large(function):
            before, after, values = setup(function)
            name = function.parameters[function.buffers[0][2]].name
            wrong, right = call(function, **{**values, name: "rank == 0 ? MPI_FLOAT : MPI_DOUBLE_INT"}), call(function, **values)
            yield Case("type mismatch|truncation", function.name,
                       [*before, *within(function, [(wrong, right, ""), *finish(function)]), *after])
    for function in compared(functions):
        types = {function.parameters[one[2]].name: "rank == 0 ? MPI_INT : MPI_FLOAT" for one in function.buffers
                 if not function.parameters[one[2]].is_array}
        for suffix, values in setups(function, UNCOMPARED):
            if types:
                yield Case("type mismatch", function.name + suffix,
                           [(call(function, **{**values, **types}), call(function, **values), ""), *finish(function)])


@template("count mismatch")
def count_mismatches(functions):
    for function in functions.values():
        if is_message(function) and function.operation != "sendrecv" and not is_large(function):
            before, after, values = setup(function)
            count = function.parameters[function.buffers[0][1]].name
            wrong, right = call(function, **{**values, count: "2" if function.operation == "send" else "0"}), call(function, **values)
            yield Case("truncation", function.name,
                       [*before, *within(function, [(wrong, right, ""), *finish(function)]), *after])
    for function in compared(functions):
        counts = {function.parameters[one[1]].name: "rank == 0 ? 1 : 2" for one in function.buffers
                  if not function.parameters[one[1]].is_array}
        for suffix, values in setups(function, UNCOMPARED):
            if counts and len(counts) == len({one[1] for one in function.buffers}):
                yield Case("type mismatch|truncation", function.name + suffix,
                           [(call(function, **{**values, **counts}), call(function, **values), ""), *finish(function)])


@template("collective mismatch")
def collective_mismatches(functions):
    for function in functions.values():
        if not is_collective_data(function) or is_large(function):
            continue
        for suffix, values in setups(function):
            line = call(function, **values)
            if function.operation != "barrier":
                own = values.get("communicator", "comm")
                yield Case("collective mismatch", f"{function.name}-order{suffix}",
                           [(f"if (rank == 1) MPI_Barrier({own});", None, ""), line, *finish(function),
                            (f"if (rank == 0) MPI_Barrier({own});", f"MPI_Barrier({own});", "")])
            for role, wrong in (("root", "0" if suffix else "rank"), ("operation", "rank == 0 ? MPI_SUM : MPI_MAX")):
                if function.has(role):
                    yield Case("collective mismatch", f"{function.name}-{role}{suffix}",
                               [(call(function, **{**values, role: wrong}), line, ""), *finish(function)])


@template("mismatch, Fortran")
def mismatches_fortran(functions):
    for function in filter(has_fortran, functions.values()):
        if not function.is_collective and function.operation != "sendrecv":
            continue
        right = call(function, **FORTRAN)
        for role, kind, wrong in (("datatype", "type mismatch", "merge(MPI_INTEGER, MPI_REAL, rank == 0)"),
                                  ("root", "collective mismatch", "rank"),
                                  ("operation", "collective mismatch", "merge(MPI_SUM, MPI_MAX, rank == 0)")):
            if any(one.role == role and not one.is_array for one in function.parameters):
                yield Case(kind, f"{function.name}-{role}-f08",
                           [(fortran(call(function, **{**FORTRAN, role: wrong})), fortran(right), ""),
                            *map(fortran, finish(function))], extension=".F90")


@template("buffer changed")
def changed_buffers(functions):
    """The program writes to memory that a pending operation reads."""
    for function in functions.values():
        if not (is_collective_data(function) or is_message(function)) or not function.gives_request or \
                is_large(function) or function.operation in ("receive",):
            continue
        read = next((function.parameters[one[0]] for one in function.buffers
                     if function.parameters[one[0]].direction == "in"), None)
        if read is None:
            continue
        before, after, values = setup(function)
        line = call(function, **values)
        change = ("in[0]++;", "other[9]++;", "")
        lines = [(line, line)] + finish(function)
        if function.form == "persistent":
            lines.insert(1, "MPI_Start(&request);")
            lines.pop(2)
            lines.insert(2, change)
        else:
            lines.insert(1, change)
        yield Case("buffer changed", function.name, [*before, *within(function, lines), *after], options="checksums")


# ---- errors in the order of calls ----

SEND, RECEIVE = "MPI_Send(in, 1, MPI_INT, peer, 5, comm);", "MPI_Recv(out, 1, MPI_INT, peer, 5, comm, &status);"


def sends(functions, modes):
    """Functions that send, in these modes: "" (standard), "b", "r", "s"."""
    for function in functions.values():
        mode = re.match(r"MPI_I?([brs]?)send(_init)?$", function.name, re.I)
        if is_message(function) and mode and mode.group(1).lower() in modes:
            yield function


def receiving(function, **values):
    """Lines that receive a message with a function; none if it cannot."""
    line = call(function, **values)
    if function.operation == "probe" and line:
        return [line if function.form == "blocking" else f"do {line} while (!flag);",
                "MPI_Mrecv(out, 1, MPI_INT, &message, &status);" if function.has("message", "out") else
                "MPI_Recv(out, 1, MPI_INT, status.MPI_SOURCE, 5, comm, &status);"]
    return [line, *finish(function)] if is_message(function) and function.operation != "send" and not is_large(function) else []


def crossed(function):
    """Lines in which both processes send with a function before they receive; the right ones take turns."""
    before, after, values = setup(function)
    return [*before, (None, "if (rank == 1) " + RECEIVE, ""), call(function, **values), *finish(function),
            (RECEIVE, "if (rank == 0) " + RECEIVE, ""), *after]


# Process 0 does not wait for the other one.
WITHOUT_WAITING = ("bcast", "scatter", "scan", "exscan")


def late_collectives(functions, waiting):
    """Process 0 sends after a collective operation a message that the other one wants before it. waiting: those in which
    it waits, or those in which it does not."""
    for function in functions.values():
        if not is_collective_data(function) or is_large(function) or waiting != (function.operation not in WITHOUT_WAITING):
            continue
        for suffix, values in setups(function):
            yield Case("deadlock|possible deadlock", function.name + suffix,
                       [(None, "if (rank == 0) " + SEND, ""), "if (rank == 1) " + RECEIVE, call(function, **values), *finish(function),
                        ("if (rank == 0) " + SEND, None, "")])


@template("deadlock")
def deadlocks(functions):
    for function in functions.values():
        lines = receiving(function)
        if lines and function.operation in ("receive", "probe") and not lines[0].startswith("do"):
            yield Case("deadlock", function.name,
                       [(None, "if (rank == 0) " + SEND, ""), *lines, (SEND, "if (rank == 1) " + SEND, "")])
    for function in sends(functions, ("s",)):
        yield Case("deadlock", function.name, crossed(function))
    yield from late_collectives(functions, True)


@template("possible deadlock")
def possible_deadlocks(functions):
    for function in sends(functions, ("",)):
        yield Case("possible deadlock", function.name, crossed(function))
    yield from late_collectives(functions, False)


@template("message race")
def races(functions):
    """One of two messages comes from process 0 itself."""
    for function in functions.values():
        wrong, right = (receiving(function, source=source, destination="MPI_PROC_NULL") for source in ("MPI_ANY_SOURCE", "1"))
        if wrong:
            yield Case("message race", function.name,
                       ["if (rank == 1)", "    " + SEND, "else {", "MPI_Isend(in, 1, MPI_INT, 0, 5, comm, &second);",
                        *((one, other, "") for one, other in zip(wrong, right)),
                        tuple(RECEIVE.replace("peer", source) for source in ("MPI_ANY_SOURCE", "0")) + ("",),
                        "MPI_Wait(&second, MPI_STATUS_IGNORE);", "}"], options="races")


@template("message not received")
def lost_messages(functions):
    for function in sends(functions, ("", "b")):
        before, after, values = setup(function)
        yield Case("message not received", function.name,
                   [*before, "if (rank == 0) {", call(function, **values), *finish(function), "}", (None, "else " + RECEIVE, ""),
                    *after])


def accesses(functions):
    return (function for function in functions.values() if is_access(function) and not is_large(function))


@template("access epoch")
def missing_epochs(functions):
    for function in accesses(functions):
        begin, end = EPOCHS["lock"]
        line = "if (rank == 1) " + call(function, target="0")
        yield Case("access epoch", function.name, [(None, begin, ""), (line, line), *finish(function), (None, end, "")])


@template("access conflict")
def conflicts(functions):
    """Process 0 puts where the other one accesses its memory."""
    for function in accesses(functions):
        for name, (begin, end) in EPOCHS.items():
            if function.gives_request and name != "lock":
                continue    # MPI forbids it
            own = " ".join([call(function, target="0"), *finish(function)])
            put = "if (rank == 0) MPI_Put(in, 1, MPI_INT, 0, %d, 1, MPI_INT, window);"
            yield Case("access conflict", f"{function.name}-{name}",
                       [begin, (put % 0, put % 8, ""), f"if (rank == 1) {{ {own} }}", end])


def collection(prefix):
    """{class: [Case]}"""
    functions = functions_of(prefix / "include/qmpi_functions.hpp")
    return {name: list(make(functions)) for name, make in TEMPLATES.items()}


# Programs that a way cannot run, or whose error is not certain to be found there, by class and name: messages of the first
# thread may order accesses of the second one, and sends; only rank 0 looks for what may be freed after MPI_Finalize.
UNFIT = {"": "^$", "session": "f08|File|file", "thread": "f08|possible deadlock|message race|access conflict",
         "spawned": "f08|leak: .*(get_info|Info_create|rrhandler)", "merged": "f08"}


def choose(cases, part=1, seed=0, way=""):
    """One of part cases of each class."""
    cases = {name: [case for case in own if not re.search(UNFIT[way], f"{name}: {case.name}")] for name, own in cases.items()}
    chance = random.Random(seed)
    return {name: sorted(chance.sample(all_of_it, -(-len(all_of_it) // part)), key=lambda case: case.name)
            for name, all_of_it in cases.items()}


# ---- runs ----

@dataclass
class Outcome:
    case: Case
    found: int              # errors of the wrong program, of those that it marks (one if it marks none)
    tried: int
    missed: list            # lines
    others: list            # other findings in the wrong program
    alarms: list            # findings in the right program
    failure: str = ""       # a twin that does not compile, or a right one that does not end well


def run_under_check(prefix, program, processes, options, folder, arguments=(), seconds=15):
    """(exit status, standard error, findings of the report)"""
    report = program.with_suffix(".json")
    options = ",".join(filter(None, [f"out={report}", "timeout=3", "deadlock=abort", options]))
    environment = {**os.environ, "MPIR_CVAR_QMPI_TOOL_LIST": f"check({options})"}
    with subprocess.Popen([prefix / "bin/mpiexec", "-n", processes, program, *arguments], env=environment, cwd=folder, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True) as job:
        try:
            _, err = job.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(job.pid, signal.SIGTERM)
            _, err = job.communicate()
    findings = []
    if report.exists():
        with contextlib.suppress(ValueError):
            findings = json.loads(report.read_text())["findings"]
    return job.returncode, err, findings


class Runner:
    """Compiles and runs in a folder of its own."""

    def __init__(self, prefix, folder, way="", seconds=15):
        self.prefix, self.folder, self.seconds = prefix, Path(folder), seconds
        self.options = []
        self.processes = "1" if way in ("spawned", "merged") else "2"
        if way:
            header = self.folder / "way.h"
            header.write_text(WAYS[way])
            self.options = ["-pthread", "-include", header]

    def program(self, case, is_wrong):
        """Program and marked lines."""
        stem = self.folder / (re.sub(r"\W", "-", f"{case.kind}-{case.name}") + ("-wrong" if is_wrong else "-right"))
        source = stem.with_suffix(case.extension)
        text, marked = case.text(is_wrong)
        source.write_text(text)
        compiler, *options = ["mpicc", *self.options] if case.extension == ".c" else ["mpifort", "-ffree-line-length-none"]
        result = subprocess.run([self.prefix / "bin" / compiler, *options, "-g", "-w", "-o", stem, source], capture_output=True,
                                text=True, check=False)
        return (stem if result.returncode == 0 else None), source, marked, result.stderr

    def findings(self, case, is_wrong):
        """(failure, {(line, kind)}, marked lines)"""
        program, source, marked, fault = self.program(case, is_wrong)
        if program is None:
            return f"does not compile: {fault.splitlines()[:2]}", set(), marked
        status, err, findings = run_under_check(self.prefix, program, self.processes, case.options, self.folder, seconds=self.seconds)
        found = {(int(line), kind) for _, file, line, kind in LINE.findall(err) if file == source.name}
        found |= {(int(one["site"].rsplit(":", 1)[1]), one["kind"]) for one in findings if one["site"].rsplit(":", 1)[-1].isdigit()}
        failure = f"status {status}: {err[:300]}" if not is_wrong and status != 0 else ""
        return failure, found, marked

    def run(self, case):
        failure, found, marked = self.findings(case, True)
        second_failure, alarms, _ = self.findings(case, False)
        hits = {(line, kind) for line, kind in found if kind in case.kinds and (not marked or line in marked)}
        lines = {line for line, _ in hits}
        return Outcome(case, len(lines & marked) if marked else min(len(hits), 1), len(marked) or 1, sorted(marked - lines),
                       sorted(found - hits), sorted(alarms), failure or second_failure)


def table(outcomes):
    """found / tried by class, false alarms in right twins, and other findings in wrong ones; what was missed follows."""
    lines = [f"{'class':28} {'found':>6} {'tried':>6} {'alarms':>7} {'others':>7} {'failed':>7} {'programs':>9}"]
    for name, own in outcomes.items():
        lines.append(f"{name:28} {sum(one.found for one in own):6} {sum(one.tried for one in own):6} "
                     f"{sum(bool(one.alarms) for one in own):7} {sum(bool(one.others) for one in own):7} "
                     f"{sum(bool(one.failure) for one in own):7} {2 * len(own):9}")
    for name, own in outcomes.items():
        for one in own:
            what = [] if one.found == one.tried else [f"missed {one.missed or ''}".strip()]
            what += [f"false alarm {one.alarms}"] if one.alarms else []
            what += [f"others {one.others}"] if one.others else []
            what += [f"failed: {one.failure}"] if one.failure else []
            if what:
                lines.append(f"{name}: {one.case.name}: {'; '.join(what)}")
    return "\n".join(lines)


def run_all(cases, prefix, folder, jobs=1, way=""):
    """{class: [Outcome]}"""
    runner = Runner(prefix, folder, way)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return {name: list(pool.map(runner.run, own)) for name, own in cases.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["list", "write", "run"])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--prefix", type=Path, required=True, metavar="DIR", help="installation with QMPI")
    parser.add_argument("--class", dest="classes", action="append", metavar="WORDS", help="only this class")
    parser.add_argument("--name", default="", metavar="REGEX", help="only programs of these names")
    parser.add_argument("--part", type=int, default=1, metavar="N", help="one of N programs of each class")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the draw")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="programs at the same time")
    parser.add_argument("--way", default="", choices=WAYS, help="to run the programs")
    options = parser.parse_intermixed_args()
    cases = {name: [case for case in own if re.search(options.name, case.name)]
             for name, own in collection(options.prefix.resolve()).items() if name in (options.classes or TEMPLATES)}
    cases = {name: own for name, own in choose(cases, options.part, options.seed, options.way).items() if own}
    if options.command == "list":
        for name, own in cases.items():
            print(*(f"{name}: {case.name}" for case in own), sep="\n")
    elif options.command == "write":
        if options.folder is None:
            parser.error("write needs a folder")
        options.folder.mkdir(parents=True, exist_ok=True)
        for case in itertools.chain(*cases.values()):
            for is_wrong in (True, False):
                name = re.sub(r"\W", "-", f"{case.kind}-{case.name}") + ("-wrong" if is_wrong else "-right") + case.extension
                (options.folder / name).write_text(case.text(is_wrong)[0])
    else:
        with tempfile.TemporaryDirectory() as folder:
            outcomes = run_all(cases, options.prefix.resolve(), folder, options.jobs, options.way)
        print(table(outcomes))
        return any(one.alarms or one.failure for own in outcomes.values() for one in own)
    return 0


if __name__ == "__main__":
    sys.exit(main())
