# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The commands of doc/using.md print what the page shows."""

import shutil
from pathlib import Path

import pytest

from pages import run_section, sections

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = sections(ROOT / "doc/using.md")


@pytest.mark.parametrize("title", SECTIONS)
def test_section_shows_what_happens(mpich, needs, title):
    if "NPmpich2" in SECTIONS[title]:
        needs("NPmpich2")
    shutil.copy(ROOT / "examples/qmpi/halo.c", mpich.work)
    assert mpich.run("mpicc", "-O2", "-g", "-o", "halo", "halo.c", "-lm").status == 0
    run_section(mpich, SECTIONS[title])
