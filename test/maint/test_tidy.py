# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""clang-tidy, with the configuration of the tree, finds nothing in the tools and the kit."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "src/tools"
# It takes 10 minutes and more: a member is instantiated for all functions.
TOO_LARGE = ["check/check.cpp"]
SOURCES = sorted(name for path in TOOLS.rglob("*.cpp") if (name := str(path.relative_to(TOOLS))) not in TOO_LARGE)
pytestmark = pytest.mark.hours


@pytest.fixture(scope="module")
def assets(mpich_module):
    """Folder with the generated header"""
    folder = mpich_module.work / "generated"
    folder.mkdir()
    (folder / "page_assets.hpp").write_text(mpich_module.run("sh", TOOLS / "common/page/assets").out)
    return folder


@pytest.mark.parametrize("source", SOURCES)
def test_clang_tidy(mpich, needs, assets, source):
    needs("clang-tidy")
    result = mpich.run("clang-tidy", "--quiet", TOOLS / source, "--", "-std=c++17", "-DMPICH_SKIP_MPICXX",
                       "-DHAVE_LIBDW", "-DHAVE_OTF2", "-DHAVE_NCURSES", '-DQMPI_LIBMPIFORT=""', '-DQMPI_LIBMPICXX=""',
                       f"-I{TOOLS}", f"-I{assets}", f"-I{mpich.include}", seconds=1200)
    assert (result.status, result.out) == (0, ""), result
