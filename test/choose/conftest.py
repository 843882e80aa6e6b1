# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""A folder with tools, with libraries that are none, and with programs, for the tests of choosing tools."""

import re
import shutil
from pathlib import Path

import pytest

from faults import write_broken

HERE = Path(__file__).resolve().parent

# file: macros of tool.c
TOOLS = {
    "libwitness.so": [],
    "libtwin.so": [],
    "libsecond.so": ['-DNAME="second"'],
    "libpair.so": ['-DNAME="left"', '-DSECOND_NAME="right"'],
    "libnewer.so": ['-DNAME="newer"', "-DVERSION=2"],
    "libolder.so": ['-DNAME="older"', "-DVERSION=99"],
    "libunresolved.so": ['-DNAME="unresolved"', "-DDEPENDENCY"],
    "libsilent.so": ["-DSILENT"],
    "libidle.so": ['-DNAME="idle"', "-DIDLE"],
    "libfailing.so": ['-DNAME="failing"', "-DFAILING"],
    "libcrashing.so": ['-DNAME="crashing"', "-DCRASHING"],
    "folder/libqmpi_hidden.so": ['-DNAME="hidden"', '-DDESCRIPTION="says who asks\\nfirst=NUMBER   what comes first\\n'
                                                    'second         what comes then"'],
    "folder/libplain.so": ['-DNAME="plain"'],
    "folder/libqmpi_both.so": ['-DNAME="both"'],
    "folder/libboth.so": ['-DNAME="never"'],
    "folder/libqmpi_liar.so": ['-DNAME="truth"'],
    "other/libqmpi_hidden.so": ['-DNAME="never"'],
}


@pytest.fixture(scope="module")
def choose(mpich_module):
    """The installation; its folder has the libraries above, broken ones, and the programs."""
    mpich, work = mpich_module, mpich_module.work
    for name, macros in TOOLS.items():
        (work / name).parent.mkdir(exist_ok=True)
        shutil.copy(mpich.library(HERE / "tool.c", *macros), work / name)
    for source in ("program.c", "startup.c"):
        shutil.copy(mpich.program(HERE / source), work)
    (work / "folder/libqmpi_broken.so").write_text("not a library\n")
    shutil.copy(mpich.library(HERE / "old_tool.c"), work / "libold.so")
    done = mpich.run("gcc", "-shared", "-fPIC", "-I", mpich.include, '-DNAME="unlinked"', "-o", "libunlinked.so",
                     HERE / "tool.c")
    assert done.status == 0, done
    gone = mpich.library("int gone;\n", name="gone.c")
    shutil.copy(mpich.library("int needy;\n", "-Wl,--no-as-needed", f"-L{gone.parent}", "-lgone", name="needy.c"), work)
    write_broken(work, work / "libwitness.so")
    return mpich


@pytest.fixture(scope="module")
def run(choose):
    """Run a command in that folder under a tool list."""
    def run(tools, *words, **keywords):
        return choose.run(*(words or ["./program"]), MPIR_CVAR_QMPI_TOOL_LIST=tools, **keywords)
    return run


@pytest.fixture(scope="session")
def order():
    """The instances that saw the call on a rank, in order: "1 witness(a) 2 second()"."""
    def order(result, rank=0):
        return " ".join(re.findall(rf"^\[{rank}\] (.*)$", result.out, re.M))
    return order
