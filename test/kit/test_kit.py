# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The C++ kit for tools (qmpi.hpp): its units, errors at compile time, all functions, behaviour of tools."""

import json
import re
import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CPP = ["-std=c++17", "-g0"]
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Werror"]


def test_units_of_the_kit(mpich):
    """Arguments of an instance at run time; sets and roles at compile time."""
    result = mpich.run(mpich.program(HERE / "units.cpp", *CPP, *WARNINGS))
    assert result.status == 0 and re.search(r"^[1-9]\d* passed, 0 failed$", result.out, re.M), result


@pytest.mark.parametrize("source", sorted((HERE / "wrong").glob("*.cpp")), ids=lambda path: path.stem)
def test_error_in_a_tool_has_a_message_that_explains_it(mpich, source):
    text = source.read_text()
    expected = re.search(r"^// expected: (.*)$", text, re.M).group(1)
    flags = re.search(r"^// flags: (.*)$", text, re.M)
    result = mpich.run("mpicxx", *CPP, *(flags.group(1).split() if flags else []), "-fsyntax-only", source)
    assert result.status != 0 and any("error" in line and expected in line for line in result.err.splitlines()), result


# ---- tools that use each other ----

@pytest.mark.parametrize("tools, expected", [
    ("ask,give,ask,ask", "2022"), ("give,ask", "01"), ("ask,give", "20"), ("give,give,ask,give,ask", "24424"), ("ask,ask", "00"),
    ("ask,give(fails),give", "30"), ("give(fails),ask", "0")])
def test_nearest_instance_with_the_service_is_found(mpich, tools, expected):
    """The next one that follows, else the next before; a failed instance offers nothing."""
    program = mpich.program(HERE / "services.cpp", *CPP)
    result = mpich.run(program, MPIR_CVAR_QMPI_TOOL_LIST=tools, MPIR_CVAR_QMPI_ON_ERROR="warn")
    ids = [number for number, entry in enumerate(tools.split(","), 1) if "fails" not in entry]
    assert sorted(result.out.splitlines()) == [f"{own} finds {found}" for own, found in zip(ids, expected)], result


# ---- all functions ----

def forms(mpich):
    """{name: form of a tool's member} of each function, as the header's messages show them."""
    text = (mpich.include / "qmpi_functions.hpp").read_text()
    return dict(re.findall(r'QMPI_DETAIL_MEMBER\((\w+),\s*"(.*?)"\)', text))


def test_kit_has_every_function(mpich):
    """The header has ids of more functions than the library has."""
    ids = re.findall(r"(MPIX?_\w+_T) = \d+", (mpich.include / "mpi_qmpi_proto.h").read_text())
    lists = re.findall(r"function_ids = std::index_sequence<([^>]*)>", (mpich.include / "qmpi_functions.hpp").read_text())

    def functions(library):
        symbols = mpich.run("nm", "-D", "--defined-only", mpich.lib / library).out
        return {name for name in re.findall(r" P(MPIX?_\w+)$", symbols, re.M) if f"{name.upper()}_T" in ids}

    assert len(functions("libmpi.so")) > 600 and set(forms(mpich)) == functions("libmpi.so")
    # The library of the MPI ABI has its list first.
    libraries = ["libmpi_abi.so"] * (len(lists) - 1) + ["libmpi.so"]
    for library, listed in zip(libraries, lists, strict=True):
        assert set(re.findall(r"\w+", listed)) == {f"{name.upper()}_T" for name in functions(library)}


LATER_TOOL = """\
#include <qmpi.hpp>
struct Later : qmpi::tool<Later> {
    template <typename Call> auto intercept(Call &call) { std::puts(Call::name.data()); return call(); }
};
QMPI_TOOL("later", Later)
int main() { MPI_Init(nullptr, nullptr); MPI_Finalize(); }
"""


def test_tool_of_a_later_header_has_the_functions_that_the_library_knows(mpich, work):
    """In the later header, MPI_Wtick has an id that this library does not know."""
    include = work / "later"
    shutil.copytree(mpich.include, include)
    ids = include / "mpi_qmpi_proto.h"
    last = int(re.search(r"MPI_LAST_FUNC_T = (\d+)", ids.read_text()).group(1))
    later = {"MPI_WTICK_T": last + 3, "MPI_LAST_FUNC_T": last + 4}
    ids.write_text(re.sub(r"(\w+_T) = \d+", lambda match: f"{match[1]} = {later[match[1]]}" if match[1] in later else match[0],
                          ids.read_text()))
    program = mpich.program(LATER_TOOL, *CPP, f"-I{include}", name="later.cpp")
    result = mpich.run(program, MPIR_CVAR_QMPI_TOOL_LIST="later")
    assert (result.status, result.out, result.err) == (0, "MPI_Init\nMPI_Finalize\n", ""), result


def test_generic_member_compiles_for_all_functions_without_a_warning(mpich):
    """Arguments by role and by index, results of all types."""
    result = mpich.run("mpicxx", *CPP, *WARNINGS, "-DALL_FUNCTIONS", "-fsyntax-only", HERE / "behaviour.cpp", seconds=600)
    assert (result.status, result.err) == (0, ""), result


def test_tool_with_all_members_in_the_forms_of_the_messages_compiles(mpich):
    members = []
    for form in forms(mpich).values():
        parameters = form[form.index("(") + 1:-1].split(", ")
        # const int sendcounts[], int (*fn) (int, int): the parameter's name comes last
        names = re.findall(r"(\w+)(?:\[[^]]*\])*(?:,|$)", ",".join(parameters))
        members.append(f"    {form} {{ return call({', '.join(names[1:])}); }}")
    mpich.library("#include <qmpi.hpp>\nnamespace {\nstruct Members : qmpi::tool<Members> {\n" + "\n".join(members) +
                  "\n};\n}\nQMPI_TOOL(\"members\", Members)\n", *CPP, "-O0", "-Wall", "-Wextra", "-Werror", name="members.cpp")


@pytest.fixture(scope="module", params=["g++", "clang++"])
def null(request, mpich_module, needs):
    """The tool null, which intercepts all functions by one template, as a user compiles it."""
    needs(request.param)
    return mpich_module.library(ROOT / "src/tools/null.cpp", f"-cxx={request.param}", *CPP, "-O2", *WARNINGS)


def test_program_runs_under_a_tool_of_all_functions(mpich, null):
    program = mpich.program(ROOT / "test/demo/broadcast.c", "-D_DEFAULT_SOURCE", "-pthread")
    result = mpich.mpiexec(2, program, "all", tools="null,null", LD_PRELOAD=null)
    assert (result.status, result.out.strip(), result.err) == (0, "No errors", ""), result


ANY_NULL = """\
#include <qmpi.hpp>
namespace {
struct Null : qmpi::tool<Null> {
    int intercept(qmpi::any_call &call) { return call(); }
};
}
QMPI_TOOL("null", Null)
"""


def test_program_runs_under_a_tool_of_any_call(mpich):
    """All functions go through the entries in libqmpi.a."""
    null = mpich.library(ANY_NULL, *CPP, "-O2", *WARNINGS, "-lqmpi", name="any_null.cpp")
    assert re.search(r"intercepts +all functions", mpich.run("qmpi_info", null).out)
    program = mpich.program(ROOT / "test/demo/broadcast.c", "-D_DEFAULT_SOURCE", "-pthread")
    result = mpich.mpiexec(2, program, "all", tools="null,null", LD_PRELOAD=null)
    assert (result.status, result.out.strip(), result.err) == (0, "No errors", ""), result


HALF = """\
#include <qmpi.hpp>
namespace {
struct Half : qmpi::tool<Half> {
    int MPI_Init(qmpi::call<MPI_INIT_T> &call) { return call(); }
    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call) { return call(); }
    int MPI_Send(qmpi::call<MPI_SEND_T> &call) { return call(); }
    int MPI_Recv(qmpi::call<MPI_RECV_T> &call) { return call(); }
    int MPI_Recv_c(qmpi::call<MPI_RECV_C_T> &call) { return call(); }
    int MPI_Bcast_c(qmpi::call<MPI_BCAST_C_T> &call) { return call(); }
};
}
QMPI_TOOL("half", Half)
"""


def test_qmpi_info_shows_the_functions_that_a_tool_misses(mpich):
    """Those that programs call in place of the ones that it intercepts. The installed tools miss none."""
    half = mpich.library(HALF, *CPP, name="half.cpp")
    found = re.search(r"^  misses +(.*)$", mpich.run("qmpi_info", half).out, re.M)[1]
    assert found.split(", ") == ["MPI_Init_thread", "MPI_Session_init", "MPI_Bcast", "MPI_Send_c"]
    assert sorted(json.loads(mpich.run("qmpi_info", "-j", half).out)["instances"][0]["misses"]) == sorted(found.split(", "))
    for tool in ("bcast", "check", "control", "count", "messages", "null", "profile", "trace", "watch"):
        assert "misses" not in mpich.run("qmpi_info", tool).out


# ---- behaviour ----

# what: tool list, program, exit status, standard error ("..." is any text)
BEHAVIOUR = {
    "exceptions do not leave the tool": ("thrower", "exceptions", 0, """\
QMPI tool thrower: exception in ready: not ready
QMPI tool thrower: exception in MPI_Comm_rank: before the call
rank 0, 0
QMPI tool thrower: exception in MPI_Comm_size: after the call
size 1, 0
QMPI tool thrower: exception in MPI_Barrier: in place of the call
barrier: MPI_ERR_OTHER
QMPI tool thrower: exception in MPI_Wtime: not a std::exception
time
QMPI tool thrower: exception in MPI_Wtick: in place of a value
tick
QMPI tool thrower: exception in MPI_Pcontrol: no call
pcontrol 0
"""),
    "next<> before the chain is complete is an error": ("early", "barrier", 0, """\
early: an error 7 0
ready: success 0
"""),
    "constructor that throws ends the program": ("refuses", "world", 1, "...does not want to\n"),
    "arguments of a generic call can be changed": ("nowhere", "sends", 0, "came through\n"),
    "next<> skips the tool itself": ("teller,caller,teller", "barrier", 0, """\
teller 2: MPI_Initialized(flag)
caller is ready
teller 2: MPI_Comm_rank(comm=1140850688 rank)
teller 2: MPI_Barrier(comm=1140850688)
teller 1: MPI_Barrier(comm=1140850688)
"""),
    "results that are no error codes": ("teller", "values", 0, """\
teller 1: MPI_Wtime() gives a value
time
teller 1: MPI_Aint_add(base=40 disp=2) gives a value
sum 42
"""),
    "MPI_Pcontrol with its optional arguments, each instance once": ("controlled,teller,controlled", "pcontrol", 0, """\
level 3: 15 text
teller 1: MPI_Pcontrol(level=3 varargs)
level 3: 15 text
code 0
"""),
    "call site of the program": ("where,where", "barrier", 0, """\
MPI_Barrier: the program
MPI_Barrier: the program
"""),
    "call site of a call that a tool makes in place of the program's": ("caller,where", "barrier", 0, """\
caller is ready
MPI_Comm_rank: the program
MPI_Barrier: the program
"""),
    "objects end with the process, in order": ("to_exit,to_exit", "world", 0, """\
to_exit 1 sees a call
to_exit 2 sees a call
after MPI_Finalize
to_exit 1 sees a call
to_exit 2 sees a call
to_exit 1 ends
to_exit 2 ends
"""),
    "objects end in MPI_Finalize": ("to_finalize,to_exit", "world", 0, """\
to_finalize sees a call
to_exit 2 sees a call
to_exit 2 sees a call
to_finalize ends
after MPI_Finalize
to_exit 2 sees a call
to_exit 2 ends
"""),
    "objects end with the last session": ("to_finalize", "world_and_session", 0, """\
after MPI_Finalize
to_finalize sees a call
to_finalize ends
after MPI_Session_finalize
"""),
    "objects end with the process after sessions": ("to_finalize", "sessions", 0, """\
after MPI_Session_finalize
to_finalize sees a call
to_finalize ends
"""),
    "child of fork ends no objects": ("to_exit", "child", 0, """\
to_exit 1 sees a call
the child has ended
to_exit 1 ends
"""),
    "any_call: exceptions and results": ("any_thrower", "exceptions", 0, """\
QMPI tool any_thrower: exception in MPI_Comm_rank: before the call
rank 0, 0
QMPI tool any_thrower: exception in MPI_Comm_size: after the call
size 1, 0
barrier: MPI_ERR_OTHER
QMPI tool any_thrower: exception in MPI_Wtime: not a std::exception
time
tick
pcontrol 15
"""),
    "any_call: arguments can be changed": ("any_nowhere", "sends", 0, "came through\n"),
    "any_call: a member of the function's name comes first": ("any_teller", "barrier", 0, "own member\n"),
    "any_call: functions that return a value": ("any_teller", "values", 0, """\
MPI_Wtime 0
time
MPI_Aint_add 40 0
sum 42
"""),
    "any_call: MPI_Pcontrol": ("any_teller", "pcontrol", 0, "MPI_Pcontrol 3 0\ncode 0\n"),
    "any_call: objects end in MPI_Finalize": ("any_to_finalize,to_exit", "world", 0, """\
any_to_finalize sees MPI_Get_version
to_exit 2 sees a call
any_to_finalize sees MPI_Finalize
any_to_finalize ends
after MPI_Finalize
to_exit 2 sees a call
to_exit 2 ends
"""),
    "calls of an earlier exit handler skip the tool": ("to_exit", "exit_handler", 0, """\
to_exit 1 ends
exit handler
"""),
}
COMPILED = {"optimised": ["-O2", *WARNINGS], "sanitized": ["-O0", "-fsanitize=undefined", "-fno-sanitize-recover=all"]}


@pytest.fixture(scope="module", params=COMPILED)
def behaviour(request, mpich_module):
    return mpich_module.program(HERE / "behaviour.cpp", *CPP, *COMPILED[request.param], "-lqmpi", "-ldl")


@pytest.mark.parametrize("what", BEHAVIOUR)
def test_behaviour(mpich, behaviour, what):
    tools, program, status, expected = BEHAVIOUR[what]
    result = mpich.run(behaviour, program, MPIR_CVAR_QMPI_TOOL_LIST=tools)
    pattern = "".join(".*".join(map(re.escape, line.split("..."))) + "\n" for line in expected.splitlines())
    assert result.status == status and re.fullmatch(pattern, result.err), result


SAME_NAME = """\
#include <qmpi.hpp>
namespace {
struct Tool : qmpi::tool<Tool> {
    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call) { std::fprintf(stderr, "%s\\n", TEXT); return call(); }
};
}
QMPI_TOOL(TEXT, Tool)
"""


def test_tools_of_two_libraries_may_have_the_same_type_name(mpich):
    one, two = (mpich.library(SAME_NAME, *CPP, "-O0", f'-DTEXT="{name}"', name="same.cpp") for name in ("one", "two"))
    program = mpich.program(HERE / "behaviour.cpp", *CPP, *COMPILED["optimised"], "-lqmpi", "-ldl")
    result = mpich.run(program, "barrier", LD_PRELOAD=f"{one}:{two}", MPIR_CVAR_QMPI_TOOL_LIST="one,two,one")
    assert (result.status, result.err) == (0, "one\ntwo\none\n"), result


def test_valgrind_finds_no_fault_in_the_kit(mpich, needs):
    """The device's libraries may have findings of their own."""
    needs("valgrind")
    null = mpich.library(ROOT / "src/tools/null.cpp", "-cxx=g++", *CPP, "-O2", *WARNINGS)
    program = mpich.program(HERE / "behaviour.cpp", *CPP, *COMPILED["optimised"], "-lqmpi", "-ldl")
    result = mpich.run("valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite",
                       program, "world", LD_PRELOAD=null, MPIR_CVAR_QMPI_TOOL_LIST="null,to_exit,to_finalize,null", seconds=300)
    assert result.status == 0 and "qmpi::" not in result.err and "ends\n" in result.err, result
