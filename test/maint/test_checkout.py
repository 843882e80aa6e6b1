# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""House rules for the files of this checkout"""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
if not (ROOT / ".git").exists():
    pytest.skip("an archive of make dist: these tests need git and a checkout", allow_module_level=True)
FILES = sorted({ROOT / name for name in subprocess.run(
    ["git", "-C", ROOT, "ls-files", "-z", "-c", "-o", "--exclude-standard"], capture_output=True, text=True).stdout.split("\0")
    if name and (ROOT / name).is_file()})


def below(*folders, suffixes):
    return [p for p in FILES if p.suffix in suffixes and any(p.is_relative_to(ROOT / folder) for folder in folders)]


def test_git_lists_the_files():
    assert len(FILES) > 100, "these tests need git and a checkout"


@pytest.fixture(scope="module")
def release():
    """MPICH's unpacked source"""
    done = subprocess.run([ROOT / "maint/series", "fetch", "--unpacked"], stdout=subprocess.PIPE, text=True, check=True)
    return Path(done.stdout.strip())


def test_no_copy_of_mpich(release):
    """MPICH's own files are never committed."""
    ours = {}
    for path in FILES:
        if path.stat().st_size:
            ours.setdefault(path.stat().st_size, []).append(path)
    copies = []
    for folder, _, names in os.walk(release):
        for path in (Path(folder, name) for name in names):
            if path.is_file() and not path.is_symlink():
                copies += [(path, mine) for mine in ours.get(path.stat().st_size, []) if mine.read_bytes() == path.read_bytes()]
    assert not copies


def test_overlay_has_new_text_files_only(release):
    """quilt carries neither empty nor binary files; an edit of a file of MPICH belongs in a patch."""
    overlay = [p for p in FILES if any(p.is_relative_to(ROOT / f) for f in ("confdb", "src", "maint/local_python", "test/mpi", "examples"))]
    assert len(overlay) > 100
    for path in overlay:
        name = str(path.relative_to(ROOT))
        assert not (release / name).exists(), name
        assert path.stat().st_size and b"\0" not in path.read_bytes() and not re.search(r"\s", name), name


BASES = [p for p in (ROOT / "patches").iterdir() if not p.is_symlink()]
PATCHES = [base / name for base in BASES for name in (base / "series").read_text().split()]


@pytest.mark.parametrize("patch", PATCHES, ids=lambda p: p.name)
def test_head_of_patch(patch):
    """DEP-3"""
    head = patch.read_text().split("\n--- a/")[0]
    for field in ("Description: [a-z0-9_]+: .", "Author: .", "Forwarded: (no|not-needed|https://)", r"Last-Update: \d{4}-\d\d-\d\d$"):
        assert re.search("^" + field, head, re.M), field


@pytest.mark.parametrize("base", BASES, ids=lambda p: p.name)
def test_files_of_a_base(base):
    series = (base / "series").read_text().split()
    assert sorted(p.name for p in base.iterdir()) == sorted(["base", "removed", "series", *series])
    fixes = [name.startswith(("upstream-", "backport-")) for name in series]
    assert fixes == sorted(fixes, reverse=True), "bug fixes come first"


def test_removed_files(release):
    folder = ROOT / "patches/default"
    edited = {path for p in folder.glob("*.patch") for path in re.findall(r"^--- a/(\S+)", p.read_text(), re.M)}
    for path in (folder / "removed").read_text().split():
        assert (release / path).is_file() and path not in edited


def test_no_path_of_a_machine():
    machine = re.compile(r"(?<![\w$})./~*-])/(?:root|work|home|Users|mnt|export|scratch)/[\w.].*")
    found = [(str(p), m.group()) for p in FILES for m in machine.finditer(p.read_text(errors="replace"))]
    assert not found


def test_cpp_style(needs):
    """clang-format -i FILE corrects a file."""
    needs("clang-format")
    files = below("src/tools", "src/include", "test", "examples", suffixes=(".hpp", ".cpp"))
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, "\n".join(l for l in done.stderr.splitlines() if "error:" in l)


C_FILES = below("src/qmpi", "src/include", "src/binding", "test/mpi", suffixes=(".c", ".h"))


@pytest.mark.parametrize("path", C_FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_c_style(path, tree, tmp_path, needs):
    """MPICH's options of GNU indent (maint/code-cleanup.bash).

    MPICH's script wants indent 2.2.11, and Debian has 2.2.12, which sets blanks in another way, also in MPICH's own files.
    Therefore lines are compared without white space.
    """
    needs("indent")
    script = re.sub("GNU indent 2.2.11", "GNU indent", (tree / "maint/code-cleanup.bash").read_text())
    (tmp_path / "script").write_text(script)
    copy = tmp_path / path.name
    copy.write_text(path.read_text())
    subprocess.run(["bash", "script", path.name], cwd=tmp_path, check=True, capture_output=True, env={**os.environ, "USER": tmp_path.name})

    def lines(text):
        return [line for line in (re.sub(r"\s", "", line) for line in text.splitlines()) if line]
    text = path.read_text()
    assert lines(copy.read_text()) == lines(text)
    for number, line in enumerate(text.splitlines(), 1):
        assert len(line) <= 100 and line == line.rstrip() and "\t" not in line, f"line {number}: {line}"
        assert not re.match(r"[^\"/*]*\b(if|for|while|switch)\(", line), f"line {number}: blank missing: {line}"


def test_files_of_the_runtime_use_each_other_in_one_direction():
    texts = {path.name: re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S) for path in below("src/qmpi", suffixes=[".c"])}
    name = r"MPI[IR]_(?:\w+_impl|QMPI_\w+)"
    homes = {match[1]: file for file, text in texts.items()
             for match in re.finditer(rf"^(?!static|extern|#| |typedef)[^\n;(=]*?\b({name})(?= ?[(;=\[]| MPIR_QMPI_TLS)", text, re.M)}
    assert len(homes) > 60
    uses = {file: {homes[found] for found in re.findall(name, text) if found in homes} - {file} for file, text in texts.items()}
    order = []
    while left := uses.keys() - set(order):
        lowest = sorted(file for file in left if uses[file] <= set(order))
        assert lowest, {file: uses[file] - set(order) for file in left}
        order += lowest
