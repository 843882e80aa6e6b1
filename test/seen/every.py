# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Programs that call every function of an interface once: in C for either ABI, with mpif.h, use mpi and use mpi_f08.

They are generated from the binding descriptions in the patched source tree. After each call the program queries the
tool of record.cpp, which records all calls. Most calls reach the library, with null handles and empty messages;
their results do not matter. The tool answers the calls of ANSWERED itself, because they cannot be made harmless.
"""

import re
import sys

# Calls that the tool answers, and why.
ANSWERED = {
    "MPI_Abort": "ends the program",
    "MPI_Init_thread": "MPI is initialised already",
    "MPI_Comm_accept": "waits for another program",
    "MPI_Comm_connect": "waits for another program",
    "MPI_Comm_join": "waits for another program",
    "MPI_Comm_spawn": "starts programs",
    "MPI_Comm_spawn_multiple": "starts programs",
    "MPI_Intercomm_create": "needs two groups of processes",
    "MPI_Intercomm_create_from_groups": "needs two groups of processes",
    "MPI_Intercomm_merge": "needs two groups of processes",
    "MPI_Comm_remote_group": "needs two groups of processes (5.0.1 asserts them)",
    "MPI_Parrived": "needs a partitioned request that was started",
    "MPIX_Grequest_class_allocate": "needs a class",
    "MPIX_Async_get_state": "needs a task",
    "MPIX_Async_spawn": "needs a task",
    "MPIX_Stream_comm_create_multiplex": "needs streams",
    "MPIX_Wait_enqueue": "needs a request of a stream",
    "MPIX_Waitall_enqueue": "needs requests of a stream",
    "MPIX_Threadcomm_start": "needs a communicator of threads",
    "MPIX_Threadcomm_finish": "needs a communicator of threads",
    "MPIX_Comm_agree": "ends the program in the base's ch4, which does not have it",
    "MPIX_Comm_failure_ack": "ends the program in the base's ch4, which does not have it",
    "MPIX_Comm_failure_get_acked": "ends the program in the base's ch4, which does not have it",
    "MPIX_Comm_revoke": "ends the program in the base's ch4, which does not have it",
    "MPIX_Comm_shrink": "ends the program in the base's ch4, which does not have it",
}
# Functions that do not work in a base, by its version
ANSWERED_IN = {
    (5, 0, 1): {
        "MPI_Comm_create_from_group": "a null pointer is read for the empty group",
        "MPIX_Info_set_hex": "a null pointer is read for MPI_INFO_NULL",
    },
}
FREES_MEMORY = {"MPI_Free_mem": "frees memory that the library has allocated"}

# Functions whose addresses and displacements are default integers in mpif.h
INTEGER_ADDRESSES = {"MPI_Address", "MPI_Type_extent", "MPI_Type_hindexed", "MPI_Type_hvector", "MPI_Type_lb",
                     "MPI_Type_struct", "MPI_Type_ub"}

FIRST, LAST = "MPI_Init", "MPI_Finalize"
LENGTH = 64     # elements of every array argument; more than any description needs

HANDLES = {
    "COMMUNICATOR": "MPI_COMM_SELF", "DATATYPE": None, "OPERATION": "MPI_SUM", "REQUEST": "MPI_REQUEST_NULL",
    "MESSAGE": "MPI_MESSAGE_NULL", "WINDOW": "MPI_WIN_NULL", "FILE": "MPI_FILE_NULL", "GROUP": "MPI_GROUP_EMPTY",
    "SESSION": "MPI_SESSION_NULL", "ERRHANDLER": "MPI_ERRORS_RETURN", "INFO": "MPI_INFO_NULL", "STREAM": "MPIX_STREAM_NULL",
}


class Failure(Exception):
    """Nothing can be checked; the text is the message for the user."""


class Description:
    """The functions, read from the source tree by MPICH's own generators."""

    def __init__(self, tree):
        self.tree = tree
        maint = tree / "maint"
        if not (maint / "local_python/binding_qmpi.py").is_file():
            raise Failure(f"{tree}: maint/local_python/binding_qmpi.py is missing (not a source tree of MPICH with QMPI)")
        sys.path.insert(0, str(maint))
        from local_python import mpi_api, binding_common, binding_f08, binding_f77, binding_qmpi
        from local_python import MPI_API_Global as G
        self.common, self.f08, self.f77, self.qmpi, self.G = binding_common, binding_f08, binding_f77, binding_qmpi, G
        version = re.search(r"MPICH_VERSION_m4\],\[(\d+)\.(\d+)\.(\d+)", (maint / "version.m4").read_text())
        self.version = tuple(map(int, version.groups()))
        self.answered = {**ANSWERED, **ANSWERED_IN.get(self.version, {})}
        functions = mpi_api.load_C_func_list(str(tree / "src/binding"), True)
        # MPICH 5 generates these as well
        if hasattr(mpi_api, "get_type_create_f90_func_list"):
            functions += mpi_api.get_type_create_f90_func_list()
            known = {f["name"] for f in functions}
            functions += [f for f in mpi_api.get_mpiio_func_list() if f["name"] not in known and not f["name"].endswith("_function")]
        known = {f["name"] for f in functions}
        # functions that MPICH writes by hand
        functions += [G.FUNCS[name.lower()] for name in binding_qmpi.HAND_WRITTEN if name not in known]
        self.functions = functions
        self.module_is_generated = (maint / "gen_binding_f90.py").is_file()
        binding_f08.get_real_POLY_kinds()

    def map(self, language, is_large):
        return self.common.get_kind_map(language, is_large)


class Call:
    """One call: the function, the symbols MPI_X, PMPI_X and QMPI_X of the interface, the statements of the call, and the
    reason why the tool must answer it (or None)."""

    def __init__(self, function, forms, lines, why_answered):
        self.function, self.forms, self.lines, self.why_answered = function, forms, lines, why_answered


def communicator_for(name):
    if re.search(r"neighbor_a", name, re.I):
        return "graph"
    if re.match(r"MPI_Cart", name, re.I):
        return "cart"
    if re.match(r"MPIX_Comm_(revoke|shrink|agree)", name):
        return "spare"
    return "MPI_COMM_SELF"


def value_of(p, function, datatype, true_false):
    """Value of an argument."""
    kind = p["kind"]
    if kind == "COMMUNICATOR":
        # No call frees or replaces a communicator that other calls need.
        return communicator_for(function) if p["param_direction"] == "in" else "MPI_COMM_NULL"
    if kind == "DATATYPE":
        return datatype
    if kind in HANDLES:
        return HANDLES[kind]
    if kind == "ACCESS_MODE":
        return "MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE"
    if kind == "KEYVAL":
        return "MPI_KEYVAL_INVALID"
    # MPICH's partitioned communication needs a partner.
    if kind.startswith("RANK") and not re.match(r"MPI_P(send|recv)_init", function) and p["name"] in ("dest", "source", "target_rank"):
        return "MPI_PROC_NULL"
    if kind.startswith("LOGICAL"):
        return true_false
    if kind in ("ARRAY_LENGTH", "ARRAY_LENGTH_NNI", "ARRAY_LENGTH_PI", "NUM_DIMS", "DIMENSION"):
        return "1"
    return "0"


# ---- C ----

C_START = """
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int saw(const char *function, int length);
void answer(int yes);
void forget(void);
void tell(int rank);

static int nothing(void)
{
    return 0;
}

static MPI_Comm graph, cart, spare;

static void prepare(void)
{
    int one = 1, no = 0;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    MPI_Cart_create(MPI_COMM_SELF, 1, &one, &no, 0, &cart);
    MPI_Comm_dup(MPI_COMM_SELF, &spare);
    forget();
}
"""


class InC:
    title = "C"
    suffix = "c"
    tool_compiler = "mpicxx"

    def __init__(self, description):
        self.d, self.answered = description, description.answered

    def calls(self):
        for func in self.d.functions:
            for is_large in [False, True] if self.d.common.function_has_POLY_parameters(func) else [False]:
                f = self.d.qmpi.Function(func, is_large)
                yield Call(f.name, [f.name, "P" + f.name, "Q" + f.name], self.call(f, func, is_large),
                           self.answered.get(f.name))

    def call(self, f, func, is_large):
        mapping = self.d.map("C", is_large)
        declarations, fill, arguments = [], [], []
        for i, p in enumerate(f.parameters):
            if p["kind"] == "VARARGS":
                continue
            declared = self.d.common.get_C_param(p, func, mapping)
            name = f"a{i}"
            base = re.sub(r"^const |[\s*]*\w+(\[\w*\])*$", "", declared)
            stars = declared.count("*") + declared.count("[")
            if base == "void":
                # MPI_Free_mem accepts NULL; every other argument gets separate memory.
                declarations.append(f"static double {name}[1024];")
                arguments.append("NULL" if f.name in FREES_MEMORY else name)
            elif base.endswith("_function") or base.endswith("_function_c") or "FUNCTION" in p["kind"]:
                arguments.append("(void *) nothing")
            elif base == "char" and stars == 1:
                declarations.append(f'static char {name}[4096] = "x";')
                arguments.append(name)
            elif base == "char" or declared.endswith("[3]"):
                declarations.append(f"static {base} *{name}[{LENGTH}];" if base == "char"
                                    else f"static {base} {name}[{LENGTH}][3];")
                arguments.append(f"(void *) {name}")
            elif base.startswith("MPI_T_") or p["kind"] in ("STATUS", "F90_STATUS"):
                declarations.append(f"static {base} {name}[{LENGTH}];")
                arguments.append(name if stars else f"{name}[0]")
            else:
                value = value_of(p, f.name, "MPI_INT", "0")
                declarations.append(f"static {base} {name}[{LENGTH}];")
                if value != "0":        # as all static memory; structures included
                    fill.append(f"    {name}[i] = {value};")
                arguments.append(name if stars else f"{name}[0]")
        lines = declarations
        if fill:
            lines += [f"for (int i = 0; i < {LENGTH}; i++) {{"] + fill + ["}"]
        # In parentheses, the name is not a macro of mpi.h.
        return lines + [f"({f.name})({', '.join(arguments)});"]

    def program(self, calls):
        out = [C_START]
        for call in calls:
            out += [f"static void call_{call.function}(void)", "{"] + ["    " + l for l in call.lines] + ["}", ""]
        out += ["int main(void)", "{", f"    {FIRST}(NULL, NULL);", f'    saw("{FIRST}", {len(FIRST)});', "    prepare();"]
        for call in calls:
            if call.why_answered:
                out.append("    answer(1);")
            out.append(f"    call_{call.function}();")
            out.append(f'    saw("{call.function}", {len(call.function)});')
            if call.why_answered:
                out.append("    answer(0);")
        out += [f"    {LAST}();", f'    saw("{LAST}", {len(LAST)});', "    tell(0);", "    return 0;", "}"]
        return out

    libraries = ["libmpi.so", "libpmpi.so"]
    compile = ["bin/mpicc", "-w", "-O0"]


class InAbi(InC):
    """The functions that mpi_abi.h declares."""
    title = "MPI ABI"
    libraries = ["libmpi_abi.so", "libpmpi_abi.so"]
    compile = ["bin/mpicc_abi", "-w", "-O0"]
    tool_compiler = "mpicxx_abi"

    def calls(self):
        declared = functions_declared_in(self.d.tree / "src/binding/abi/mpi_abi.h")
        for call in super().calls():
            if call.function.startswith("MPI_File_") and call.function not in ACCEPT_NO_FILE:
                call.why_answered = "ends the program in the base's libmpi_abi, which does not check files"
            if call.function == "MPI_T_event_get_info":
                call.why_answered = "the base's libmpi_abi converts the results of failed calls, too"
            if call.function in declared - NOT_IN_ABI:
                yield call


ACCEPT_NO_FILE = {"MPI_File_call_errhandler", "MPI_File_create_errhandler", "MPI_File_delete", "MPI_File_fromint",
                  "MPI_File_get_errhandler", "MPI_File_open", "MPI_File_set_errhandler", "MPI_File_toint"}

# mpi_abi.h of the base declares them, but its libmpi_abi does not have them.
NOT_IN_ABI = {"MPIX_Comm_create_errhandler_x", "MPIX_File_create_errhandler_x", "MPIX_Op_create_x",
              "MPIX_Session_create_errhandler_x", "MPIX_Win_create_errhandler_x"}


def functions_declared_in(header):
    return set(re.findall(r"^\w[\w *]*\b(MPIX?_\w+)\(", header.read_text(), re.M))


# ---- Fortran ----

FORTRAN_HELPERS = """
  interface
     integer(c_int) function saw_c(name, length) bind(C, name="saw")
       import c_int, c_char
       character(kind=c_char), intent(in) :: name(*)
       integer(c_int), value :: length
     end function saw_c
     subroutine answer(yes) bind(C)
       import c_int
       integer(c_int), value :: yes
     end subroutine answer
     subroutine forget() bind(C)
     end subroutine forget
     subroutine tell(rank) bind(C)
       import c_int
       integer(c_int), value :: rank
     end subroutine tell
  end interface
contains
  subroutine saw(name)
    character(len=*), intent(in) :: name
    integer :: ignored
    ignored = saw_c(name, len(name))
  end subroutine saw
  subroutine prepare()
    integer :: ierror, none(1)
    logical :: no(1)
    none = 1
    no = .false.
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, none, MPI_UNWEIGHTED, 0, none, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, ierror)
    call MPI_Cart_create(MPI_COMM_SELF, 1, none, no, .false., cart, ierror)
    call MPI_Comm_dup(MPI_COMM_SELF, spare, ierror)
    call forget()
  end subroutine prepare
"""

# Procedures for the callback arguments of mpi_f08: name, arguments, declarations
F08_PROCEDURES = [
    ("MPI_User_function", "a, b, n, t", ["type(c_ptr), value :: a, b", "integer :: n", "type(MPI_Datatype) :: t"]),
    ("MPI_User_function_c", "a, b, n, t",
     ["type(c_ptr), value :: a, b", "integer(kind=MPI_COUNT_KIND) :: n", "type(MPI_Datatype) :: t"]),
    ("MPI_Comm_errhandler_function", "h, e", ["type(MPI_Comm) :: h", "integer :: e"]),
    ("MPI_Win_errhandler_function", "h, e", ["type(MPI_Win) :: h", "integer :: e"]),
    ("MPI_File_errhandler_function", "h, e", ["type(MPI_File) :: h", "integer :: e"]),
    ("MPI_Session_errhandler_function", "h, e", ["type(MPI_Session) :: h", "integer :: e"]),
    ("MPI_Grequest_query_function", "x, s, e",
     ["integer(kind=MPI_ADDRESS_KIND) :: x", "type(MPI_Status) :: s", "integer :: e"]),
    ("MPI_Grequest_free_function", "x, e", ["integer(kind=MPI_ADDRESS_KIND) :: x", "integer :: e"]),
    ("MPI_Grequest_cancel_function", "x, c, e",
     ["integer(kind=MPI_ADDRESS_KIND) :: x", "logical :: c", "integer :: e"]),
    ("MPI_Datarep_extent_function", "t, n, x, e",
     ["type(MPI_Datatype) :: t", "integer(kind=MPI_ADDRESS_KIND) :: n, x", "integer :: e"]),
    ("MPI_Datarep_conversion_function", "a, t, n, b, o, x, e",
     ["type(c_ptr), value :: a, b", "type(MPI_Datatype) :: t", "integer :: n, e",
      "integer(kind=MPI_OFFSET_KIND) :: o", "integer(kind=MPI_ADDRESS_KIND) :: x"]),
    ("MPI_Datarep_conversion_function_c", "a, t, n, b, o, x, e",
     ["type(c_ptr), value :: a, b", "type(MPI_Datatype) :: t", "integer :: e", "integer(kind=MPI_COUNT_KIND) :: n",
      "integer(kind=MPI_OFFSET_KIND) :: o", "integer(kind=MPI_ADDRESS_KIND) :: x"]),
]


class InFortran:
    suffix = "F90"
    tool_compiler = "mpicxx"
    compile = ["bin/mpifort", "-w", "-O0", "-fno-backtrace", "-ffree-line-length-none", "-fallow-argument-mismatch"]
    libraries = ["libmpifort.so"]
    integer_addresses = INTEGER_ADDRESSES
    integer_logicals = set()

    def __init__(self, description):
        self.d, self.answered = description, {**description.answered, **FREES_MEMORY}

    def call(self, name, func, is_large):
        mapping = self.mapping(is_large)
        lines, arguments = [], []
        for i, p in enumerate(func["parameters"]):
            if self.skips(p, mapping):
                continue
            argument = f"a{i}"
            if "FUNCTION" in p["kind"]:
                arguments.append(self.procedure(p, is_large))
                continue
            lines.append(self.declaration(func, p, mapping.get(p["kind"], "INTEGER"), argument))
            arguments.append(argument)
        lines += [f"a{i} = {value}" for i, p in enumerate(func["parameters"])
                  if f"a{i}" in arguments for value in [self.value(p, func)] if value]
        if "return" in func:
            type_ = mapping[func["return"]]
            lines = [f"{type_} :: result"] + self.declared_function(type_, name) + lines
            return lines + [f"result = {name}({', '.join(arguments)})"]
        lines.insert(0, "integer :: ierror")
        return lines + [f"call {name}({', '.join(arguments + ['ierror'])})"]

    def declared_function(self, type_, name):
        return []

    def declaration(self, func, p, type_, name):
        kind = p["kind"]
        is_array = p["length"] is not None and kind != "STRING"
        if kind in ("BUFFER", "C_BUFFER2") and self.title != "use mpi_f08" or kind == "BUFFER":
            return f"integer, save :: {name}(1024)"
        if kind == "STRING":
            return f"character(len=16384), save :: {name}"
        if kind in ("STRING_ARRAY", "STRING_2DARRAY"):
            return f"character(len=64), save :: {name}({LENGTH}{', 4' if '2D' in kind else ''})"
        dimensions = [self.status_size] if kind == "STATUS" and self.status_size else []
        if isinstance(p["length"], list):
            dimensions += [str(LENGTH)] * len(p["length"])
        elif is_array:
            dimensions.append(str(LENGTH))
        if func["name"] in self.integer_addresses:
            type_ = "INTEGER"
        if func["name"] in self.integer_logicals and type_ == "LOGICAL":
            type_ = "INTEGER"
        return f"{type_}, save :: {name}" + (f"({', '.join(dimensions)})" if dimensions else "")

    def value(self, p, func):
        kind = p["kind"]
        if kind in ("STRING", "STRING_ARRAY", "STRING_2DARRAY"):
            return "'x'"
        # Fortran lacks the null handles of sessions (4.0.2) and streams (5.0.1).
        if kind in ("BUFFER", "STATUS", "SESSION", "STREAM"):
            return None
        if kind in ("C_BUFFER", "C_BUFFER2"):
            return self.null_address
        return value_of(p, func["name"], "MPI_INTEGER", "0" if func["name"] in self.integer_logicals else ".false.")

    def program(self, calls):
        out = ["module every", "  use, intrinsic :: iso_c_binding"] + ["  " + l for l in self.use]
        out += ["  " + l for l in self.handles] + FORTRAN_HELPERS.splitlines() + ["  " + l for l in self.procedures]
        for number, call in enumerate(calls):
            out += [f"  subroutine call_{number}()"] + ["    " + l for l in call.lines] + ["  end subroutine"]
        out += ["end module every", "", "program main", "  use every", "  implicit none", "  integer :: ierror",
                f"  call {FIRST}(ierror)", f"  call saw('{FIRST}')", "  call prepare()"]
        for number, call in enumerate(calls):
            if call.why_answered:
                out.append("  call answer(1)")
            out += [f"  call call_{number}()", f"  call saw('{call.function}')"]
            if call.why_answered:
                out.append("  call answer(0)")
        return out + [f"  call {LAST}(ierror)", f"  call saw('{LAST}')", "  call tell(0)", "end program main"]


class InF90(InFortran):
    """mpif.h and use mpi have the same procedures, without and with interfaces."""
    handles = ["implicit none", "integer :: graph, cart, spare", "external :: nothing"]
    procedures = []
    status_size = "MPI_STATUS_SIZE"
    null_address = "0"

    def mapping(self, is_large):
        return self.d.map("F90", is_large)

    def skips(self, p, mapping):
        return self.d.f77.f90_param_need_skip(p) or p["large_only"]

    def procedure(self, p, is_large):
        return "nothing"

    def calls(self):
        for func in self.d.functions:
            marked = dict(func)
            self.d.f77.check_func_directives(marked)
            if "_skip_fortran" in marked:
                continue
            name = self.d.common.get_function_name(func, False)
            forms = [prefix + func["name"].lower() + "_" for prefix in ("", "p", "q")]
            yield Call(name, forms, self.call(func["name"], func, False), self.answered.get(name))

    def program(self, calls):
        return super().program(calls) + ["", "subroutine nothing()", "end subroutine nothing"]


class InMpifH(InF90):
    title = "mpif.h"
    use = []
    handles = ["implicit none", "include 'mpif.h'", *InF90.handles[1:]]

    def declared_function(self, type_, name):
        return [f"{type_}, external :: {name}"]


class InUseMpi(InF90):
    title = "use mpi"
    use = ["use mpi"]

    def __init__(self, description):
        super().__init__(description)
        # as the base's module declares the arguments
        if description.module_is_generated:
            self.integer_addresses = INTEGER_ADDRESSES - {"MPI_Address"}
        else:
            self.integer_logicals = {"MPI_Parrived"}


class InF08(InFortran):
    title = "use mpi_f08"
    use = ["use mpi_f08"]
    handles = ["implicit none", "type(MPI_Comm) :: graph, cart, spare"]
    status_size = None
    null_address = "c_null_ptr"

    procedures = [line for name, arguments, declarations in F08_PROCEDURES
                  for line in [f"subroutine own_{name}({arguments})"] + ["  " + d for d in declarations] +
                  ["end subroutine"]]

    def mapping(self, is_large):
        return self.d.map("F08", is_large)

    def skips(self, p, mapping):
        return self.d.f08.f08_param_need_skip(p, mapping)

    def procedure(self, p, is_large):
        type_ = self.d.f08.get_F_procedure_type(p, is_large)
        if "own_" + type_ in "\n".join(self.procedures):
            return "own_" + type_
        # predefined copy and delete functions of keyvals
        return re.sub(r"^MPI_(\w+?)_(copy|delete)_attr_function$", r"MPI_\1_NULL_\2_FN", type_).upper()

    def has_large(self, func):
        return (self.d.f08.function_has_real_POLY_parameters(func)
                and not re.match(r"MPI_(File_|Register_datarep)", func["name"]))

    def calls(self):
        for func in self.d.functions:
            marked = dict(func)
            self.d.f08.check_func_directives(marked)
            if "_skip_fortran" in marked:
                continue
            self.d.f08.process_func_parameters(marked)
            symbol = self.d.f08.get_f08ts_name if self.d.f08.need_cdesc(marked) else self.d.f08.get_f08_name
            name = self.d.common.get_function_name(func, False)
            for is_large in [False, True] if self.has_large(func) else [False]:
                own = symbol(marked, is_large).lower() + "_"
                forms = [own] + [re.sub("^(mpix?)_", letter + r"\1r_", own) for letter in "pq"]
                function = self.d.common.get_function_name(func, is_large)
                yield Call(function, forms, self.call(name, func, is_large), self.answered.get(name))


INTERFACES = {"C": InC, "MPI ABI": InAbi, "mpif.h": InMpifH, "use mpi": InUseMpi, "use mpi_f08": InF08}
