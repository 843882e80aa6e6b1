# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Programs of the documentation of the kit do what the page shows."""

import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "doc/tool-kit.md"
EXAMPLES = ROOT / "examples/tools"
CPP = ["-std=c++17", "-g0", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Werror"]


def blocks(text):
    """Fenced blocks: (language, word after it, text)."""
    return re.findall(r"^```(\w+) ?([^\n]*)\n(.*?)^```$", text, re.M | re.S)


def sections():
    """{title: text} of the sections with commands."""
    parts = re.split(r"^## (.*)$", PAGE.read_text(), flags=re.M)
    return {title: text for title, text in zip(parts[1::2], parts[2::2]) if "```sh" in text}


def matches(output, expected):
    """The same lines in any order, since processes write at the same time; "..." is any text. What mpiexec says of a job
    that was aborted is left out."""
    left = re.sub(r"\n=+\n=   BAD TERMINATION.*?debugging suggestions\n", "", output, flags=re.S).splitlines()
    for line in expected.splitlines():
        pattern = ".*".join(re.escape(part) for part in line.split("..."))
        found = next((it for it in left if re.fullmatch(pattern, it)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


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


@pytest.mark.parametrize("title", sections())
def test_section_shows_what_happens(mpich, title):
    for language, word, text in blocks(PAGE.read_text()):
        if language in ("c", "cpp"):
            (mpich.work / word).write_text(text)
    for example in EXAMPLES.glob("*.c*"):
        shutil.copy(example, mpich.work)
    for program in ("ring", "program"):
        assert mpich.run("mpicc", "-g", f"{program}.c", "-o", program).status == 0
    output = None
    for language, _, text in blocks(sections()[title]):
        if language == "sh":
            result = mpich.run("bash", "-c", f"{{ {text} }} 2>&1", LD_PRELOAD=mpich.nap(), seconds=600,
                               **pkg_config(mpich))
            output = result.out
        elif language == "text" and output is not None:
            assert matches(output, text), f"{result!r}\nexpected:\n{text}"
            output = None


@pytest.fixture(scope="module")
def tool():
    """The tool of the README."""
    texts = [text for language, _, text in blocks((ROOT / "README.md").read_text())
             if language == "cpp" and "QMPI_TOOL" in text]
    assert texts, "README.md has no tool"
    return texts[0]


def test_readme_tool_has_ten_lines(tool):
    assert sum(1 for line in tool.splitlines() if line.strip()) <= 10


def test_readme_tool_counts_sends_in_both_instances(mpich, tool):
    library = mpich.library(tool, *CPP, name="tool.cpp")
    name = re.search(r'QMPI_TOOL\("(\w+)"', tool).group(1)
    program = mpich.program("#include <mpi.h>\nint main(void) { int i = 0; MPI_Init(0, 0); while (i < 7) { "
                            "MPI_Send(&i, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD); i++; } return MPI_Finalize(); }\n",
                            name="send.c")
    result = mpich.run(program, MPIR_CVAR_QMPI_TOOL_LIST=f"{library},{name}={library}")
    assert result.status == 0 and (result.out + result.err).count(" 7 ") == 2, result
