# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Bad lists and bad libraries: a message that names the thing, and exit status 1 before MPI starts."""

import re
import shutil

import pytest

from faults import assert_refused, faults, is_short_line

# Puts the file conf in the place of MPICH's.
CONFIGURATION = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
FILE *fopen(const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return next(strcmp(path, "/etc/mpich.conf") == 0 ? "conf" : path, mode);
}
"""

# what: entry, text that the message must have
BAD = {
    "unknown name": ("nobody", "'nobody'"),
    "unknown name tells where tools are": ("coutn", "not in the tool directories (/"),
    "case counts": ("COUNT", "'COUNT'"),
    "name with a blank": ("co unt", "'co unt'"),
    "control characters": ("no\x1b[2J\nbody\x7f", r"'no\x1b[2J\x0abody\x7f'"),
    "control characters of Unicode": ("no\u009bbody", r"'no\x9bbody'"),
    "format characters": ("%s%n%x", "'%s%n%x'"),
    "brackets alone": ("(x)", "in '(x)'"),
    "closing bracket too many": ("witness(x))", "witness(x))"),
    "closing bracket alone": ("count)", "without '(' in 'count)'"),
    "text after the bracket": ("count(x)y", "count(x)y"),
    "two brackets": ("count(x)(y)", "count(x)(y)"),
    "name of 256 characters": ("x" * 256, "256 characters; at most 255"),
    "path of 4096 characters": ("/" + "y" * 4095, "4096 characters; at most 4095"),
    "no name before =": ("=/x/libx.so", "'=/x/libx.so' has no name"),
    "pmpi= without a path": ("pmpi=", "path"),
    "missing file": ("./libnothing.so", "'./libnothing.so' cannot be loaded: No such file"),
    "missing folder": ("/nowhere/lib.so", "'/nowhere/lib.so' cannot be loaded: No such file"),
    "file in place of a folder": ("./libtext.so/lib.so", "Not a directory"),
    "folder in place of a file": ("./folder", "'./folder' cannot be loaded: it is a directory"),
    "pipe": ("./libpipe.so", "not a regular file"),
    "device": ("/dev/zero", "not a regular file"),
    "empty file": ("./libempty.so", "'./libempty.so' cannot be loaded: file too short"),
    "text file": ("./libtext.so", "'./libtext.so' cannot be loaded: "),
    "truncated in the head": ("./libshort.so", "'./libshort.so' cannot be loaded: "),
    "truncated in the middle": ("./libhalf.so", "'./libhalf.so' cannot be loaded: it is truncated"),
    "another machine": ("./libforeign.so", "'./libforeign.so' cannot be loaded: "),
    "32-bit library": ("./libclass.so", "'./libclass.so' cannot be loaded: wrong ELF class"),
    "program": ("./startup", "'./startup' cannot be loaded: "),
    "unresolved symbol": ("./libunresolved.so", "a_function_that_nobody_has"),
    "its own library is missing": ("./libneedy.so", "libgone.so"),
    "registers nothing": ("./libsilent.so", "'./libsilent.so' has registered no tool"),
    "registers several": ("./libpair.so", "left, right"),
    "not the wanted name": ("middle=./libpair.so", "has not registered 'middle' (it has registered: left, right)"),
    "later interface": ("./libnewer.so", "'newer' was compiled for version 2.0 of the tool interface"),
    "experimental interface": ("./libold.so", "undefined symbol: QMPI_Register_function"),
    "init callback fails": ("./libfailing.so", r"the tool has\x1b no licence"),
}


def assert_left_out(result, order):
    """The rest of the chain runs, and the message says that the entry was left out."""
    assert result.status == 0 and "started\n" in result.out, result
    assert len(faults(result.err)) == 1 and faults(result.err)[0].endswith("; left out"), result
    assert [word for word in order(result).split() if not word.isdigit()] == ["witness(first)", "witness(last)"]


@pytest.mark.parametrize("what", BAD)
def test_bad_entry_is_refused_by_name(run, what):
    entry, text = BAD[what]
    assert_refused(run(entry, "./program"), text)


@pytest.mark.parametrize("what", BAD)
def test_bad_entry_is_left_out_with_warn(run, order, what):
    entry, _ = BAD[what]
    result = run(f"./libwitness.so(first),{entry},./libwitness.so(last)", MPIR_CVAR_QMPI_ON_ERROR="warn")
    assert_left_out(result, order)


def test_second_library_with_a_taken_name_is_refused(run):
    assert_refused(run("./libwitness.so,./libtwin.so"), "another one has the name 'witness'")


def test_empty_entry_is_left_out_with_warn(run, order):
    assert_left_out(run("./libwitness.so(first), ,./libwitness.so(last)", MPIR_CVAR_QMPI_ON_ERROR="warn"), order)


@pytest.mark.parametrize("entry", [",./libwitness.so", "./libwitness.so,", "./libwitness.so,,./libwitness.so", ",", ":"])
def test_empty_entry_is_refused(run, entry):
    assert_refused(run(entry, "./program"), "empty")


def test_opening_bracket_without_end_is_refused(run):
    assert_refused(run("count(x,./libwitness.so", "./program"), "a '(' without ')' in 'count(x,./libwitness.so'")


@pytest.mark.parametrize("name", ["hidden", "both", "plain"])
def test_name_is_not_found_without_its_folder(run, name):
    assert_refused(run(name, "./program"), f"'{name}'")


def test_broken_library_found_by_name(run):
    assert_refused(run("broken", "./program", MPIR_CVAR_QMPI_TOOL_PATH="folder"),
                   "'folder/libqmpi_broken.so' cannot be loaded: ")


def test_library_found_by_name_has_another_tool(run):
    assert_refused(run("liar", "./program", MPIR_CVAR_QMPI_TOOL_PATH="folder"),
                   "has not registered 'liar' (it has registered: truth)")


def test_preloaded_tool_for_the_experimental_interface_is_refused(run):
    result = run("old", "./program", LD_PRELOAD="./libold.so")
    assert result.status != 0 and "libold.so: undefined symbol: QMPI_Register_function" in result.err, result


def test_preloaded_tools_outside_of_the_list_are_no_fault(run, order):
    result = run("./libwitness.so", LD_PRELOAD="./libold.so:./libnewer.so")
    assert (result.status, order(result)) == (0, "1 witness()"), result


@pytest.mark.parametrize("variable, value", [("MPIR_CVAR_QMPI_ON_ERROR", "ignore"), ("MPIR_CVAR_QMPI_VERBOSE", "loud")])
def test_unknown_value_is_refused(run, variable, value):
    result = run("./libwitness.so", "./program", **{variable: value})
    assert (result.status, result.out) == (1, ""), result
    assert variable in result.err and value in result.err and is_short_line(result.err), result


@pytest.mark.parametrize("variable, value", [("MPIR_CVAR_QMPI_ON_ERROR", "WARN"), ("MPIR_CVAR_QMPI_VERBOSE", "loud")])
def test_unknown_value_of_one_process_ends_the_job(choose, variable, value):
    """The others wait in MPI_Init."""
    result = choose.run("mpiexec", "-n", 1, "-env", variable, value, "./program", ":", "-n", 1, "./program")
    assert result.status != 0 and re.search(rf"^MPICH: rank 0: .* '{value}' of {variable}", result.err, re.M), result


def test_list_of_the_configuration_file(choose, run):
    """MPICH's own file of variables, where the release has one; the tool sees the first call of the program."""
    if b"/etc/mpich.conf" not in (choose.prefix / "lib/libmpi.so").read_bytes():
        pytest.skip("this release of MPICH has no configuration file")
    (choose.work / "conf").write_text("MPIR_CVAR_QMPI_TOOL_LIST=./libwitness.so(configured)\n")
    library = choose.library(CONFIGURATION, name="configuration.c")
    result = run(None, LD_PRELOAD=library)
    assert result.status == 0 and "witness(configured)" in result.out, result


def test_init_callback_that_registers_nothing_is_no_fault(run):
    result = run("./libidle.so")
    assert (result.status, result.out, result.err) == (0, "started\n", ""), result


def test_program_runs_when_all_entries_are_left_out(run):
    result = run("nobody,./libnothing.so", MPIR_CVAR_QMPI_ON_ERROR="warn")
    assert (result.status, result.out, result.err.count("\n")) == (0, "started\n", 2), result


def test_library_cut_off_anywhere_ends_with_a_message_or_no_harm(choose, run):
    """No length leads to a signal. One library per process, so the lengths are few."""
    data = (choose.work / "libwitness.so").read_bytes()
    for length in range(64, len(data), max(256, len(data) // 60)):
        (choose.work / "libcut.so").write_bytes(data[:length])
        result = run("./libcut.so", "./program")
        assert result.status in (0, 1), (length, result)


def test_unreadable_library_is_refused(choose, run, restricted):
    closed = choose.work / "libclosed.so"
    shutil.copy(choose.work / "libtwin.so", closed)
    closed.chmod(0)
    assert_refused(run("./libclosed.so", *restricted, "./program"),
                   "'./libclosed.so' cannot be loaded: Permission denied")


@pytest.mark.parametrize("text", ["x", "count,", ",", "(", ")", "count:", "./libwitness.so(", "\x01"])
def test_mebibyte_written_through_mpi_t_is_refused(choose, text):
    """More than an environment holds."""
    assert_refused(choose.run("./program", "write", stdin=(text * 1048576)[:1048576]))
