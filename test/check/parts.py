# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Programs with parts of the tool check, each of which is compiled once."""

from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "src/tools"


def program_with(mpich, source, *parts):
    options = ("-std=c++17", "-O2", "-pthread", f"-I{TOOLS}", f"-I{TOOLS / 'common'}")
    objects = [mpich.compiled(TOOLS / f"check/{part}.cpp", *options) for part in parts]
    return mpich.program(HERE / source, *objects, *options, "-l:libqmpi.a", "-ldw")
