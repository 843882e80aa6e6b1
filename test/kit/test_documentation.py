# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The programs of doc/tool-kit.md print what the page shows."""

import re
import shutil
from pathlib import Path

import pytest

from pages import blocks, run_section, sections

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "doc/tool-kit.md"
EXAMPLES = ROOT / "examples/tools"
SECTIONS = sections(PAGE)


def pkg_config(mpich):
    """Variables by which pkg-config finds the installation, which may be staged."""
    folder = mpich.lib / "pkgconfig"
    prefix = re.search(r"^prefix=(.*)$", (folder / "qmpi.pc").read_text(), re.M).group(1)
    stage = str(mpich.prefix).removesuffix(prefix)
    return {"PKG_CONFIG_PATH": folder, **({"PKG_CONFIG_SYSROOT_DIR": stage} if stage else {})}


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.cpp")), ids=lambda path: path.name)
def test_page_shows_lines_of_the_example(path):
    """The excerpt is not indented."""
    shown, = [text for _, word, text in blocks(PAGE.read_text()) if word == path.name]
    assert without_indent(shown) in without_indent(path.read_text()) and shown.count("\n") <= 12


def without_indent(text):
    return re.sub(r"^ +", "", text, flags=re.M)


def test_every_program_has_a_name():
    assert all(word for language, word, _ in blocks(PAGE.read_text()) if language in ("c", "cpp"))


@pytest.mark.parametrize("title", SECTIONS)
def test_section_shows_what_happens(mpich, title):
    for language, word, text in blocks(PAGE.read_text()):
        if language in ("c", "cpp"):
            (mpich.work / word).write_text(text)
    for example in EXAMPLES.glob("*.c*"):
        shutil.copy(example, mpich.work)
    for program in ("ring", "program"):
        assert mpich.run("mpicc", "-g", f"{program}.c", "-o", program).status == 0
    run_section(mpich, SECTIONS[title], **pkg_config(mpich))
