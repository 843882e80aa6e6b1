# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Loading tools by name, path and folder; the verbose report; jobs, interpreters, privileged processes."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from faults import faults

HERE = Path(__file__).resolve().parent

# what: list, environment, the instances that see the call. WORK is the folder of the libraries.
LOADED = {
    "by path, then by the name that the path registered":
        ("./libwitness.so(a),./libsecond.so(b),witness(c)", {}, "1 witness(a) 2 second(b) 3 witness(c)"),
    "one file by several paths":
        ("WORK/libwitness.so,witness=./libwitness.so,./folder/../libwitness.so", {}, "1 witness() 2 witness() 3 witness()"),
    "one of several tools of a file": ("left=./libpair.so(l),right=./libpair.so(r),left", {}, "1 left(l) 2 right(r) 3 left()"),
    "libqmpi_NAME.so of a folder before libNAME.so":
        ("hidden,plain,both", {"MPIR_CVAR_QMPI_TOOL_PATH": "folder"}, "1 hidden() 2 plain() 3 both()"),
    "folders in their order, missing ones skipped":
        ("hidden", {"MPIR_CVAR_QMPI_TOOL_PATH": ":nowhere::WORK/folder:other"}, "1 hidden()"),
    "preloaded library by name and by path":
        ("witness,./libwitness.so", {"LD_PRELOAD": "./libwitness.so"}, "1 witness() 2 witness()"),
    "library that is not linked with MPI": ("unlinked", {"MPIR_CVAR_QMPI_TOOL_PATH": "."}, "1 unlinked()"),
    "arguments unchanged": ("./libwitness.so( a, (b:c) ,)", {}, "1 witness( a, (b:c) ,)"),
}


@pytest.mark.parametrize("what", LOADED)
def test_tools_are_found(choose, run, order, what):
    tools, variables, expected = LOADED[what]
    place = lambda text: text.replace("WORK", str(choose.work))
    result = run(place(tools), **{name: place(value) for name, value in variables.items()})
    assert (result.status, order(result)) == (0, expected), result


def test_chain_is_built_by_a_call_before_mpi_init(run, order):
    result = run("./libwitness.so", "./program")
    assert (result.status, order(result)) == (0, "1 witness()"), result


def test_list_written_through_mpi_t(choose, order):
    result = choose.run("./program", "write", stdin="./libwitness.so(t)")
    assert (result.status, order(result)) == (0, "1 witness(t)"), result


def test_qmpi_tool_list_is_the_short_name(choose, order):
    result = choose.run("./program", QMPI_TOOL_LIST="./libwitness.so(s)")
    assert (result.status, order(result)) == (0, "1 witness(s)"), result


# ---- verbose report ----

def report(result):
    """Lines of the report, without the prefix."""
    return re.findall(r"^MPICH: (?:rank \d+: )?tools: (.*)$", result.err, re.M)


def test_verbose_shows_the_file_of_each_instance(choose, run):
    result = run("./libwitness.so(a),./libidle.so", MPIR_CVAR_QMPI_VERBOSE="1")
    lines = [line.replace(f"{choose.work}/./", "./").replace(str(choose.work), ".") for line in report(result)]
    assert lines == ["instance 1: witness(a) from ./libwitness.so", "instance 2: idle() from ./libidle.so"], result


def test_verbose_without_a_list_reports_nothing(run):
    assert run("", MPIR_CVAR_QMPI_VERBOSE="1").err == ""


def test_verbose_reports_the_chain_that_is_left_with_warn(run):
    result = run("./libwitness.so,nobody", MPIR_CVAR_QMPI_VERBOSE="1", MPIR_CVAR_QMPI_ON_ERROR="warn")
    assert len(report(result)) == len(faults(result.err)) == 1, result


@pytest.mark.parametrize("value", ["yes", "true", "on", "1"])
def test_verbose_takes_the_words_of_a_boolean(run, value):
    result = run("./libwitness.so", MPIR_CVAR_QMPI_VERBOSE=value)
    assert result.status == 0 and len(report(result)) == 1, result


@pytest.mark.parametrize("value", ["no", "false", "off", "0"])
def test_verbose_can_be_off(run, value):
    result = run("./libwitness.so", MPIR_CVAR_QMPI_VERBOSE=value)
    assert (result.status, result.err) == (0, ""), result


# ---- jobs ----

def test_three_processes_have_the_same_chain_and_one_report(choose, order):
    result = choose.mpiexec(3, "./program", tools="./libwitness.so(j)", MPIR_CVAR_QMPI_VERBOSE="1")
    assert [order(result, rank) for rank in range(3)] == ["1 witness(j)"] * 3, result
    assert (result.status, len(report(result))) == (0, 1), result


@pytest.mark.serial
def test_64_processes_have_the_same_chain_and_one_report(choose):
    """Lines of two processes may be joined, so they are counted as texts."""
    result = choose.mpiexec(64, "./program", tools="./libwitness.so", MPIR_CVAR_QMPI_VERBOSE="1")
    assert (result.status, result.out.count("] 1 witness()"), len(report(result))) == (0, 64, 1), result


def test_spawned_process_has_the_same_chain(choose, spawned):
    """With ch4:ucx, 4.0.2 spawns no process and 5.0.1 only one at a time."""
    result = spawned(1, "./program", "spawn", tools="./libwitness.so(a),./libsecond.so(b)", cwd=choose.work)
    assert (result.status, result.out.count("] 1 witness(a)"), result.out.count("] 2 second(b)")) == (0, 2, 2), result


@pytest.mark.parametrize("tool", ["witness", "unlinked"])
def test_interpreter_loads_libmpi_with_local_scope(choose, run, order, tool):
    result = run(f"./lib{tool}.so(p)", sys.executable, HERE / "interpreter.py", choose.lib / "libmpi.so")
    assert (result.status, order(result)) == (0, f"1 {tool}(p)"), result


# ---- privileged processes ----

@pytest.fixture(scope="module")
def privileged(choose):
    """A set-group-id copy of the program. The environment does not lead it to its libraries."""
    other = next((group for group in os.getgroups() if group != os.getgid()), 65534 if os.getuid() == 0 else None)
    if other is None:
        pytest.fail("this test needs a second group, or root", pytrace=False)
    copy = choose.work / "privileged"
    shutil.copy(choose.work / "program", copy)
    os.chown(copy, -1, other)
    copy.chmod(0o2755)

    def run(tools, *words, **keywords):
        return choose.run("./privileged", *words, MPIR_CVAR_QMPI_TOOL_LIST=tools, LD_LIBRARY_PATH=None
                          if "LD_LIBRARY_PATH" in os.environ else "", **keywords)
    return run


PRIVILEGED = re.compile(r"MPICH: (rank \d+: )?tools: this process has more privileges than its user: "
                        r"no tool is loaded from the environment\n")


def test_set_group_id_program_loads_nothing_and_reports_it(privileged):
    result = privileged("./libwitness.so", MPIR_CVAR_QMPI_VERBOSE="1")
    assert (result.status, result.out) == (0, "started\n") and PRIVILEGED.fullmatch(result.err), result


def test_set_group_id_program_ignores_a_bad_list(privileged):
    result = privileged("nobody,(", MPIR_CVAR_QMPI_TOOL_PATH=".")
    assert (result.status, result.out, result.err) == (0, "started\n", ""), result


def test_set_group_id_program_may_choose_installed_tools_itself(privileged):
    assert "count: instance 1 of 1" in privileged("nobody", "write", stdin="count").err


def test_set_group_id_program_takes_tools_from_nowhere_else(privileged):
    result = privileged("", "write", stdin="witness", MPIR_CVAR_QMPI_TOOL_PATH=".")
    assert result.status == 1 and len(faults(result.err)) == 1 and "'witness'" in result.err, result


def test_set_user_id_program_loads_nothing_and_reports_it(choose, run, needs):
    """Root gives its own program to nobody; another user has no such program."""
    if os.getuid() != 0:
        pytest.skip("only root can make a set-user-id program for others")
    needs("setpriv")
    copy = choose.work / "setuid"
    shutil.copy(choose.work / "program", copy)
    copy.chmod(0o4755)
    result = run("./libwitness.so", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "./setuid",
                 MPIR_CVAR_QMPI_VERBOSE="1")
    assert (result.status, result.out) == (0, "started\n") and PRIVILEGED.fullmatch(result.err), result


NEVER_INITIALIZED = """
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    int flag, version, subversion;
    MPI_Info info;

    MPI_Initialized(&flag);
    MPI_Get_version(&version, &subversion);
    MPI_Info_create(&info);
    MPI_Info_free(&info);
    printf("%d\\n", flag);
    return 0;
}
"""


@pytest.mark.parametrize("tools", ["nobody", "count(x", "profile,trace,check,messages,count"])
def test_program_that_never_initializes_mpi_has_no_tools(mpich, tools):
    """Neither messages nor reports, and no tool's library is loaded."""
    program = mpich.program(NEVER_INITIALIZED, name="never.c")
    result = mpich.run(program, MPIR_CVAR_QMPI_TOOL_LIST=tools, MPIR_CVAR_QMPI_VERBOSE="true", LD_DEBUG="files",
                       LD_DEBUG_OUTPUT=mpich.work / "loaded")
    assert (result.status, result.out, result.err) == (0, "0\n", ""), result
    loaded = "".join(path.read_text() for path in mpich.work.glob("loaded.*"))
    assert [path.name for path in mpich.work.iterdir() if not path.name.startswith("loaded.")] == []
    assert "libmpi.so" in loaded and "libqmpi_" not in loaded


def test_constructor_that_calls_mpi_does_not_end_the_registration(mpich):
    """Constructors of libraries run before those of the program."""
    library = mpich.library("#include <mpi.h>\n__attribute__((constructor)) static void load(void)"
                            "{ int flag; MPI_Initialized(&flag); }\n", name="early.c")
    program = mpich.program(REGISTERS, f"-L{library.parent}", "-Wl,--no-as-needed", "-learly",
                            f"-Wl,-rpath,{library.parent}", name="registers.c")
    result = mpich.run(program, MPIR_CVAR_QMPI_TOOL_LIST="own")
    assert (result.status, result.out) == (0, "own\n"), result


REGISTERS = """
#include <mpi.h>
#include <stdio.h>

static void init(int tool_id)
{
    puts("own");
}

__attribute__((constructor)) static void load(void)
{
    MPI_Register_tool_name("own", init);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
"""
