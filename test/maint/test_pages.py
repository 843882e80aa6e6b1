# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Do the pages name files that exist?"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *ROOT.glob("doc/**/*.md"), *ROOT.glob("examples/**/*.md")]
# A word in backquotes without a slash names a program of MPICH's suite in doc/forum.md only.
PROGRAMS = ROOT / "test/mpi/qmpi"


def named_files(page):
    text = page.read_text()
    for target in re.findall(r"\]\(([^)#\s]*[./][^)#\s]*)", text):
        if "://" not in target:
            yield page.parent / target
    for name in re.findall(r"`(test/[\w./-]+)[` ]", text):
        yield ROOT / name
    if page.name == "forum.md":
        for name in re.findall(r"`(\w+\.c)`", text):
            yield PROGRAMS / name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_exist(page):
    assert [str(path) for path in named_files(page) if not path.exists()] == []
