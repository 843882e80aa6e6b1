# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""A program that ends well does so with tools, and tools report what it did."""

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.fixture
def sdk(mpich):
    """Compile a tool that uses the installed headers and library of the kit."""
    def sdk(source, *flags):
        found = mpich.run("pkg-config", "--cflags", "--libs", "qmpi", PKG_CONFIG_PATH=mpich.lib / "pkgconfig").out.split()
        return mpich.library(HERE / source, "-std=c++17", *flags, *found)
    return sdk


# ---- fork ----

def test_child_does_not_reach_a_tool_without_a_destructor(mpich, sdk):
    """works_in_child = false holds for a tool that has no destructor, too."""
    tool = sdk("childless.cpp")
    result = mpich.mpiexec(1, mpich.program(HERE / "child.c"), tools=tool, seconds=30)
    assert (result.status, result.out) == (0, "parent 1\nchild 1\nparent 2\n"), result
