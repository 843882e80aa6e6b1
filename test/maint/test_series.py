# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""maint/series and maint/apply, with a made-up release and series."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

RELEASE = {
    "maint/version.m4": "m4_define([MPICH_VERSION_m4],[1.0])\n",
    "src/core.c": "".join(f"line {i}\n" for i in range(1, 31)),
    "src/old.c": "old\n",
    "src/Makefile.mk": "sources = core.c old.c\n",
    "test/mpi/testlist": "one\n",
}
HEAD = "Description: {}\nAuthor: QMPI for MPICH developers\nForwarded: no\nLast-Update: 2026-11-22\n\n"
FIX = HEAD.format("core: correct line 3\n The reason.") + """--- a/src/core.c
+++ b/src/core.c
@@ -1,6 +1,6 @@
 line 1
 line 2
-line 3
+line three
 line 4
 line 5
 line 6
"""
HOOK = HEAD.format("core: hook") + """--- a/src/Makefile.mk
+++ b/src/Makefile.mk
@@ -1 +1 @@
-sources = core.c old.c
+sources = core.c new.c
--- a/src/core.c
+++ b/src/core.c
@@ -26,5 +26,6 @@ line 25
 line 26
 line 27
 line 28
+hook
 line 29
 line 30
"""


def write(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


class Checkout:
    def __init__(self, folder):
        self.folder, self.tree = folder / "checkout", folder / "tree"
        self.release, self.archive = folder / "mpich-1.0", folder / "mpich-1.0.tar.gz"
        write(self.release, RELEASE)
        subprocess.run(["tar", "-czf", self.archive, "-C", folder, "mpich-1.0"], check=True)
        self.patches = self.folder / "patches/1.0"
        digest = hashlib.sha256(self.archive.read_bytes()).hexdigest()
        write(self.folder, {
            "patches/1.0/base": f"version 1.0   # comment\narchive other.tar.xz {'0' * 64}\narchive mpich-1.0.tar.gz {digest}\n",
            "patches/1.0/series": "upstream-fix.patch\nqmpi-hook.patch\n", "patches/1.0/removed": "src/old.c\n",
            "patches/1.0/upstream-fix.patch": FIX, "patches/1.0/qmpi-hook.patch": HOOK,
            "src/new.c": "new\n", "src/tool": "#!/bin/sh\nno newline at the end", "src/new.c~": "backup\n"})
        (self.folder / "src/tool").chmod(0o755)
        (self.folder / "maint").mkdir()
        for name in ("apply", "series", "aptsource.py", "newbase.py", "quiltrc"):
            shutil.copy(ROOT / "maint" / name, self.folder / "maint")
        shutil.copytree(ROOT / "packaging", self.folder / "packaging")

    def series(self, verb, *words, status=0, source=None):
        options = ["--base=1.0", f"--cache={self.folder.parent / 'cache'}", f"--with-mpich-source={source or self.archive}"]
        done = subprocess.run([self.folder / "maint/series", verb, *options, *words], capture_output=True, text=True,
                              env={**os.environ, "HOME": str(self.folder)})
        assert done.returncode == status, done
        return done.stdout + done.stderr

    def apply(self, *words, **keywords):
        return self.series("apply", self.tree, *words, **keywords)

    def content(self):
        return {str(p.relative_to(self.tree)): p.read_text() for p in self.tree.rglob("*")
                if p.is_file() and p.relative_to(self.tree).parts[0] not in (".pc", ".series", "patches")}

    def stamps(self):
        return {p: p.stat().st_mtime_ns for p in self.tree.rglob("*") if p.is_file()}


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


FIXED = {**RELEASE, "src/core.c": RELEASE["src/core.c"].replace("line 3\n", "line three\n")}
COMPLETE = {**FIXED, "src/core.c": FIXED["src/core.c"].replace("line 29\n", "hook\nline 29\n"), "src/new.c": "new\n",
            "src/Makefile.mk": "sources = core.c new.c\n", "src/tool": "#!/bin/sh\nno newline at the end"}
del COMPLETE["src/old.c"]


def test_fetch_accepts_listed_archives(checkout, tmp_path):
    assert checkout.series("fetch").strip() == str(checkout.archive)
    other = tmp_path / "other.tar.gz"
    other.write_bytes(b"something else")
    assert "SHA-256" in checkout.series("fetch", source=other, status=1)
    assert "No such file" in checkout.series("fetch", source=tmp_path / "missing", status=1)


def test_folder_must_be_the_unchanged_release(checkout, tmp_path):
    checkout.apply(source=checkout.release)
    assert "unchanged release" in checkout.series("apply", tmp_path / "other", source=checkout.tree, status=1)
    (checkout.release / "maint/version.m4").write_text("m4_define([MPICH_VERSION_m4],[1.1])\n")
    assert "not the source of MPICH 1.0" in checkout.series("check", source=checkout.release, status=1)


def test_unknown_base(checkout):
    assert "unknown base '2.0' (expected one of 1.0)" in checkout.series("fetch", "--base=2.0", status=1)


def test_apply(checkout):
    checkout.apply()
    assert checkout.content() == COMPLETE
    assert os.access(checkout.tree / "src/tool", os.X_OK)
    applied = subprocess.run(["quilt", "applied"], cwd=checkout.tree, capture_output=True, text=True).stdout
    assert applied.split() == ["patches/upstream-fix.patch", "patches/qmpi-hook.patch"]


def test_prefixes_of_the_series(checkout):
    for count, wanted in ((0, RELEASE), (1, FIXED), (2, COMPLETE), (1, FIXED), (0, RELEASE)):
        checkout.apply(f"--first={count}")
        assert checkout.content() == wanted


def test_files_are_removed_with_the_first_hook(checkout):
    more = HEAD.format("test: list two") + "--- a/test/mpi/testlist\n+++ b/test/mpi/testlist\n@@ -1 +1,2 @@\n one\n+two\n"
    write(checkout.patches, {"series": "upstream-fix.patch\nqmpi-hook.patch\nqmpi-more.patch\n", "qmpi-more.patch": more})
    for count, wanted in ((1, FIXED), (2, COMPLETE), (3, {**COMPLETE, "test/mpi/testlist": "one\ntwo\n"}), (1, FIXED)):
        checkout.apply(f"--first={count}")
        assert checkout.content() == wanted


def test_apply_keeps_time_stamps(checkout):
    checkout.apply()
    before = checkout.stamps()
    checkout.apply()
    assert checkout.stamps() == before
    (checkout.folder / "src/new.c").write_text("newer\n")
    checkout.apply()
    after = checkout.stamps()
    changed = {str(p.relative_to(checkout.tree)) for p in after if after[p] != before.get(p)}
    assert {p for p in changed if not p.startswith(".pc/")} == {"src/new.c", ".series/files", ".series/state"}


@pytest.mark.parametrize("path, text, key", [
    ("src/new.c", "other code\n", None),
    ("src/new.c", "=== BEGIN_MPI_T_CVAR_INFO_BLOCK ===\nX\n=== END_MPI_T_CVAR_INFO_BLOCK ===\n", "generate-key"),
    ("src/new.c", 'x("**new_error");\n', "generate-key"),
    ("src/Makefile.am", "x\n", "generate-key"),
    ("examples/a.c", "x\n", None),
    ("src/tools/man/a.7", "x\n", None),
    ("src/tools/common/page/a.mjs", "x\n", None),
    ("test/mpi/qmpi/Makefile.am", "x\n", "suite-key"),
    ("test/mpi/qmpi/testlist", "x\n", None)])
def test_keys_say_when_autogen_must_run(checkout, path, text, key):
    write(checkout.folder, {path: "before\n"})
    checkout.apply()
    before = {name: (checkout.tree / ".series" / name).read_text() for name in ("generate-key", "suite-key")}
    write(checkout.folder, {path: text})
    checkout.apply()
    assert [name for name in before if (checkout.tree / ".series" / name).read_text() != before[name]] == ([key] if key else [])


def test_first_patch_of_a_file_of_code_needs_no_autogen(checkout):
    keys = []
    for count in (0, 1):
        checkout.apply(f"--first={count}")
        keys.append((checkout.tree / ".series/generate-key").read_text())
    assert keys[0] == keys[1]


def test_overlay_and_patches_can_shrink(checkout):
    checkout.apply()
    (checkout.folder / "src/new.c").unlink()
    (checkout.patches / "series").write_text("upstream-fix.patch\n")
    (checkout.patches / "removed").write_text("")
    checkout.apply()
    assert checkout.content() == {**FIXED, "src/tool": COMPLETE["src/tool"]}


def test_edits_in_the_tree(checkout):
    checkout.apply()
    (checkout.tree / "src/new.c").write_text("edited\n")
    (checkout.folder / "src/tool").write_text("changed\n")
    checkout.apply()
    assert checkout.content()["src/new.c"] == "edited\n"
    (checkout.folder / "src/new.c").write_text("changed\n")
    assert "edited in the tree" in checkout.apply(status=1)
    checkout.apply("--force")
    assert checkout.content()["src/new.c"] == "changed\n"


def test_foreign_folder_is_refused(checkout):
    write(checkout.tree, {"precious": "x\n"})
    assert "not a tree" in checkout.apply(status=1)
    assert checkout.content() == {"precious": "x\n"}


def test_runs_at_the_same_time(checkout):
    command = [checkout.folder / "maint/series", "apply", "--base=1.0", f"--cache={checkout.folder}/cache",
               f"--with-mpich-source={checkout.archive}", checkout.tree]
    runs = [subprocess.Popen(command) for _ in range(4)]
    assert [run.wait() for run in runs] == [0, 0, 0, 0]
    assert checkout.content() == COMPLETE


def test_refresh(checkout):
    checkout.apply()
    write(checkout.tree, {"src/new.c": "edited\n", "src/core.c": COMPLETE["src/core.c"].replace("hook\n", "hook   \nmore\n")})
    said = checkout.series("refresh", checkout.tree)
    assert "took src/new.c" in said and "refreshed qmpi-hook.patch" in said
    assert (checkout.folder / "src/new.c").read_text() == "edited\n"
    assert "+hook\n+more\n" in (checkout.patches / "qmpi-hook.patch").read_text()
    assert (checkout.patches / "upstream-fix.patch").read_text() == FIX
    before = checkout.stamps()
    checkout.apply()
    assert checkout.stamps() == before
    checkout.series("check")


def test_refresh_refuses_what_changed_on_both_sides(checkout):
    checkout.apply()
    (checkout.tree / "src/new.c").write_text("there\n")
    (checkout.folder / "src/new.c").write_text("here\n")
    assert "edited in the tree and here" in checkout.series("refresh", checkout.tree, status=1)


def test_check_passes(checkout):
    assert checkout.series("check") == ""


@pytest.mark.parametrize("path, old, new, message", [
    ("upstream-fix.patch", "@@ -1,6 +1,6 @@", "@@ -3,6 +3,6 @@", "offset"),
    ("upstream-fix.patch", " line 2\n", " line two\n", "quilt"),
    ("qmpi-hook.patch", "+hook\n", "+hook  \n", "regular form"),
    ("qmpi-hook.patch", "--- a/src/core.c", "--- /dev/null", "only edits files"),
    ("qmpi-hook.patch", "src/core.c", "src/other.c", "edits src/other.c, which MPICH 1.0 lacks"),
    ("series", "qmpi-hook.patch\n", "", "qmpi-hook.patch is not a line of the series"),
    ("series", "qmpi-hook.patch\n", "qmpi-hook.patch\nmissing.patch\n", "missing.patch")])
def test_check_finds(checkout, path, old, new, message):
    path = checkout.patches / path
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert message in checkout.series("check", status=1)


# ---- maint/apply ----

class OwnTree:
    """A person's tree: the release"""

    def __init__(self, checkout):
        self.checkout, self.folder = checkout, checkout.release

    def apply(self, status=0):
        done = subprocess.run([self.checkout.folder / "maint/apply", self.folder], capture_output=True, text=True)
        assert done.returncode == status, done
        return done.stdout + done.stderr

    def content(self):
        return {str(p.relative_to(self.folder)): p.read_text() for p in self.folder.rglob("*")
                if p.is_file() and p.relative_to(self.folder).parts[0] != ".qmpi"}


@pytest.fixture
def own(checkout):
    return OwnTree(checkout)


def test_apply_on_a_persons_tree(own):
    said = own.apply()
    assert own.content() == COMPLETE and os.access(own.folder / "src/tool", os.X_OK)
    assert said.splitlines()[-2:] == ["    ./autogen.sh", "    ./configure --enable-qmpi"]
    assert (own.folder / ".qmpi/removed/src/old.c").read_text() == "old\n"


def test_apply_of_a_release_with_results_of_maint_configure(own):
    write(own.folder, {"maint/configure": ""})
    assert "(cd maint && ./configure) && ./autogen.sh\n" in own.apply()


def test_apply_again_updates(own):
    own.apply()
    before = snapshot(own.folder / "src")
    own.apply()
    assert snapshot(own.folder / "src") == before
    write(own.checkout.patches, {"qmpi-hook.patch": HOOK.replace("+hook\n", "+hooked\n")})
    write(own.checkout.folder, {"src/tool": "changed\n", "src/more.c": "more\n"})
    (own.checkout.folder / "src/new.c").unlink()
    own.apply()
    wanted = {**COMPLETE, "src/core.c": COMPLETE["src/core.c"].replace("hook\n", "hooked\n"), "src/tool": "changed\n", "src/more.c": "more\n"}
    del wanted["src/new.c"]
    assert own.content() == wanted
    assert (own.folder / "src/Makefile.mk").stat().st_mtime_ns == before[own.folder / "src/Makefile.mk"][0]


def test_apply_keeps_edits_in_the_tree(own):
    own.apply()
    write(own.folder, {"src/new.c": "edited\n", "src/core.c": COMPLETE["src/core.c"].replace("line 9\n", "edited\n")})
    edited = snapshot(own.folder)
    assert "error: src/new.c was edited in the tree" in own.apply(status=1)
    assert snapshot(own.folder) == edited
    write(own.checkout.folder, {"src/new.c": "edited\n"})      # taken
    own.apply()
    assert own.content()["src/core.c"] == edited[own.folder / "src/core.c"][1].decode()
    write(own.checkout.patches, {"qmpi-hook.patch": HOOK.replace("+hook\n", "+hooked\n")})
    edited = snapshot(own.folder)
    assert re.search("qmpi-hook.patch.*\n.*\n?.*edited in the tree; the tree is unchanged", own.apply(status=1))
    assert snapshot(own.folder) == edited


def test_apply_keeps_a_file_of_the_same_name(own):
    write(own.folder, {"src/new.c": "another\n"})
    assert "src/new.c is in the tree already" in own.apply(status=1)
    assert own.content() == {**RELEASE, "src/new.c": "another\n"}


def test_apply_names_the_hunk_that_fails(own):
    write(own.folder, {"src/core.c": RELEASE["src/core.c"].replace("line 28\n", "changed\n")})
    before = snapshot(own.folder)
    said = own.apply(status=1)
    assert "Applying patch qmpi-hook.patch" in said and "Hunk #1 FAILED at 26" in said and "src/core.c" in said
    assert "upstream-fix.patch" not in said and "the tree is unchanged" in said
    assert snapshot(own.folder) == before


@pytest.mark.parametrize("version, said, status", [
    ("1.0.3", "MPICH 1.0.3 has no series of its own: using that of MPICH 1.0", 0), ("1.4b1", "using that of MPICH 1.0", 0),
    ("2.0", "MPICH 2.0: no series for a close release", 1), ("", "not a source tree of MPICH", 1)])
def test_apply_on_another_release(own, version, said, status):
    write(own.folder, {"maint/version.m4": f"m4_define([MPICH_VERSION_m4],[{version}])\n"})
    assert said in own.apply(status=status)
    assert (own.folder / "src/new.c").exists() == (status == 0)


def test_apply_refuses_a_tree_of_series(own):
    own.checkout.apply()
    own.folder = own.checkout.tree
    assert "a tree of maint/series" in own.apply(status=1)


# ---- check --base TREE ----

def rows(page):
    """Name of each patch -> hunks that fit exactly, with an offset, not at all"""
    return {m[1]: tuple(map(int, m[2].split())) for m in re.finditer(r"^(\S+\.patch) +(\d+ +\d+ +\d+)$", page, re.M)}


def snapshot(folder):
    return {p: (p.stat().st_mtime_ns, p.is_file() and p.read_bytes()) for p in sorted(folder.rglob("*"))}


def test_report_of_an_exact_fit(checkout):
    page = checkout.series("check", f"--base={checkout.release}", status=1)
    assert page.startswith(f"MPICH 1.0, {checkout.release}\nseries 1.0, failed hunks: 0\n")
    assert rows(page) == {"upstream-fix.patch": (1, 0, 0), "qmpi-hook.patch": (2, 0, 0)}
    assert "generator of the tree fails: no maint/gen_binding_c.py" in page
    assert page.endswith("\nTo do (doc/new-base.md): the generator stops\n")


@pytest.mark.parametrize("path, old, new, fix, hook, message", [
    ("src/core.c", "line 9\n", "line 9\nnew\n", (1, 0, 0), (1, 1, 0), None),
    ("src/core.c", "line 2\n", "line two\n", (0, 0, 1), (2, 0, 0), "    src/core.c:1\n"),
    ("src/core.c", "line 28\n", "changed\n", (1, 0, 0), (1, 0, 1), "    src/core.c:26\n"),
    ("src/core.c", "line 3\n", "line three\n", None, (2, 0, 0), "upstream-fix.patch +not needed: already in the tree\n"),
    ("src/Makefile.mk", None, None, (1, 0, 0), (1, 0, 1), "    src/Makefile.mk: file missing\n"),
    ("src/old.c", None, None, (1, 0, 0), (2, 0, 0), "src/old.c: in 'removed', but not in the tree"),
    ("src/new.c", None, "new\n", (1, 0, 0), (2, 0, 0), "src/new.c: in the overlay and in the tree\n")])
def test_report_counts_hunks(checkout, path, old, new, fix, hook, message):
    file = checkout.release / path
    if old:
        file.write_text(file.read_text().replace(old, new, 1))
    elif new:
        file.write_text(new)
    else:
        file.unlink()
    before = snapshot(checkout.folder.parent)
    page = checkout.series("check", f"--base={checkout.release}", status=1)
    wanted = {"upstream-fix.patch": fix, "qmpi-hook.patch": hook}
    assert rows(page) == {name: row for name, row in wanted.items() if row}
    assert not message or re.search("^" + message, page, re.M)
    assert ("(doc/new-base.md): failed hunks: 1;" in page) == any(row and row[2] for row in wanted.values())
    after = snapshot(checkout.folder.parent)
    assert {p: s for p, s in after.items() if "__pycache__" not in str(p) and s != before.get(p) and not p.is_dir()} == {}
    assert before.keys() <= after.keys()


@pytest.mark.parametrize("field, version, is_needed", [
    ("1.1", "1.0", True), ("1.1", "1.0.9", True), ("1.1", "1.1", False), ("1.1", "1.1.1rc1", False), ("1.1", "2.0", False),
    ("1.10", "1.9", True), ("https://example.org/0.1", "1.0", True)])
def test_report_knows_fixes_that_upstream_has(checkout, field, version, is_needed):
    fix = FIX.replace("Last-Update", f"Applied-Upstream: {field}, by another change\nLast-Update")
    write(checkout.patches, {"upstream-fix.patch": fix})
    write(checkout.release, {"maint/version.m4": RELEASE["maint/version.m4"].replace("1.0", version)})
    page = checkout.series("check", f"--base={checkout.release}", status=1)
    assert ("upstream-fix.patch" in rows(page)) == is_needed
    assert (f"not needed: upstream has it: {field}, by another change" in page) != is_needed


def test_report_takes_the_nearest_series(checkout):
    for path in checkout.patches.iterdir():
        text = path.read_text().replace("version 1.0", "version 0.9").replace(" line 2\n", " line two\n")
        write(checkout.folder / "patches/0.9", {path.name: text})
    tree = checkout.release
    assert "\nseries 1.0, failed hunks: 0, 0.9 would have 1\n" in checkout.series("check", f"--base={tree}", status=1)
    assert "\nseries 0.9, failed hunks: 1\n" in checkout.series("check", f"--base={tree}", "--series=0.9", status=1)
    write(tree, {"src/core.c": RELEASE["src/core.c"].replace("line 2\n", "line two\n")})
    assert "\nseries 0.9, failed hunks: 0, 1.0 would have 1\n" in checkout.series("check", f"--base={tree}", status=1)


@pytest.mark.parametrize("words, message", [
    (["--base=missing"], "missing: neither a folder of patches/ (1.0) nor a source tree of MPICH"),
    (["--base={checkout}"], "no version in maint/version.m4"),
    (["--base={archive}"], "neither a folder of patches/"),
    (["--base={tree}"], "a patched tree; the unchanged release is needed"),
    (["--base={release}", "--series=2.0"], "unknown base '2.0' (expected one of 1.0)"),
    (["--series=1.0"], "need a source tree: --base TREE"), (["--functions"], "need a source tree: --base TREE")])
def test_report_refuses(checkout, words, message):
    checkout.apply()
    places = {"checkout": checkout.folder, "archive": checkout.archive, "tree": checkout.tree, "release": checkout.release}
    said = checkout.series("check", *(word.format(**places) for word in words), status=1)
    assert message in said and len(said.splitlines()) == 1


def test_report_refuses_a_tree_without_a_version(checkout):
    write(checkout.release, {"maint/version.m4": "m4_define([MPICH_VERSION_m4],[])\n"})
    assert "no version in maint/version.m4" in checkout.series("check", f"--base={checkout.release}", status=1)


def test_report_names_a_broken_patch(checkout):
    write(checkout.patches, {"upstream-fix.patch": FIX.replace("@@ -1,6", "@@ -1,7")})
    said = checkout.series("check", f"--base={checkout.release}", status=1)
    assert "error: patch reads" in said and "src/core.c" in said


def test_stat(checkout):
    words = [line.split() for line in checkout.series("stat").splitlines()]
    assert words == [["1.0"], ["patch", "hunks", "+", "-"], ["upstream-fix.patch", "1", "1", "1"],
                     ["all", "fixes", "1", "1", "1"], ["qmpi-hook.patch", "2", "2", "1"], ["all", "hooks", "2", "2", "1"]]


# ---- check --base TREE, with the release itself ----

@pytest.fixture(scope="module")
def release():
    done = subprocess.run([ROOT / "maint/series", "fetch", "--unpacked"], stdout=subprocess.PIPE, text=True, check=True)
    return Path(done.stdout.strip())


@pytest.fixture
def changed(release, tmp_path):
    """A copy of the release's files that the report reads, to be changed"""
    folder = ROOT / "patches/default"
    paths = {path for p in folder.glob("*.patch") for path in re.findall(r"^--- a/(\S+)", p.read_text(), re.M)}
    paths |= {"maint/version.m4", "maint/gen_binding_c.py", *(folder / "removed").read_text().split()}
    paths |= {str(p.relative_to(release)) for p in [*release.glob("maint/local_python/*.py"), *release.glob("src/binding/**/*.txt"),
                                                  *release.glob("src/binding/fortran/*/Makefile.mk")]}
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(release / path, tmp_path / path)
    return tmp_path


def report(tree, status):
    """The page, and what it says of each function"""
    done = subprocess.run([ROOT / "maint/series", "check", f"--base={tree}", "--series=default", "--functions"],
                          capture_output=True, text=True)
    assert done.returncode == status and done.stderr == "", done
    page, names = done.stdout, {}
    for line in page.splitlines():
        if match := re.match(r"(MPIX?_\w+) +(\S.*)", line):
            names[match[1]] = match[2]
    return page, names


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def count_of(page, text):
    return int(re.search(rf"^ +(\d+) {text}", page, re.M)[1])


def registry():
    """Functions that have an id"""
    return set(re.findall(r"^\d+ (\w+)$", (ROOT / "src/binding/qmpi_functions.txt").read_text(), re.M))


def entries(names):
    return {name for name, said in names.items() if not said.startswith("prototype only")}


def test_report_on_the_release(release):
    """The release has the C files that its own generator wrote; they say which functions test what."""
    if not (release / "src/include/mpi_proto.h").exists():
        pytest.fail(f"{release} has no generated files")
    texts = [path.read_text() for path in (release / "src/binding/c").rglob("*.c")]
    bodies = {"MPI" + name: body for text in texts for name, body in
              re.findall(r"^static int internal(X?_\w+)\((?:.*\n)*?\{((?:.*\n)*?)\}$", text, re.M)}
    page, names = report(release, 0)
    assert "Everything fits." in page
    prototypes = set(re.findall(r"^\w+ (MPIX?_\w+)\(", (release / "src/include/mpi_proto.h").read_text(), re.M))
    in_romio = set(re.findall(r"^\w+ (MPI_(?:File|Register)_\w+)\(", (release / "src/mpi/romio/include/mpio.h.in").read_text(), re.M))
    assert set(names) == prototypes | in_romio

    def kind(text):
        return {name for name, said in names.items() if said == text}
    tested = {name for name, body in bodies.items() if "MPIR_ERRTEST_INITIALIZED_ORDIE();" in body}
    assert len(tested) > 400 and kind("gate in place of the initialization test") == tested - {"MPI_Pcontrol"}
    assert kind("replaced function") == {name for name, body in bodies.items() if "mpi_errno = PMPI_" in body}
    assert kind("MPI-IO of ROMIO") == in_romio - prototypes
    assert {"MPI_Init", "MPI_Initialized", "MPI_T_init_thread"} <= kind("gate before the body") <= set(bodies) - tested | {"MPI_Pcontrol"}
    assert kind("unclassified") == set()
    assert entries(names) <= registry()


def test_report_on_another_context(changed):
    edit(changed / "src/Makefile.mk", "src/pm/", "src/names/")
    page, names = report(changed, 1)
    hunks = {p.name: len(re.findall("^@@", p.read_text(), re.M)) for p in (ROOT / "patches/default").glob("*.patch")}
    assert rows(page) == {name: (n - 1, 0, 1) if name == "qmpi-runtime.patch" else (n, 0, 0) for name, n in hunks.items()}
    assert "    src/Makefile.mk:17\n" in page and page.endswith("(doc/new-base.md): failed hunks: 1\n")
    assert len(names) > 600


def test_report_on_new_functions(changed):
    with open(changed / "src/binding/c/misc_api.txt", "a") as f:
        for name, skip in (("MPIX_Test_new", ""), ("MPIX_Test_any_time", "    .skip: initcheck\n")):
            f.write(f"\n{name}:\n    flag: LOGICAL, direction=out, [result]\n    .desc: none\n{skip}{{\n    *flag = 0;\n}}\n")
    page, names = report(changed, 1)
    free = len(registry())
    assert f"\n{free} MPIX_Test_any_time\n{free + 1} MPIX_Test_new\n" in page
    assert "\n    MPIX_Test_any_time: not described\n" in page
    assert page.endswith("(doc/new-base.md): functions without an id: 2; the generator stops\n")
    assert names["MPIX_Test_new"] == "gate in place of the initialization test, no id"
    assert names["MPIX_Test_any_time"] == "gate before the body, no id"


def test_report_on_missing_functions(changed):
    path = changed / "src/binding/c/request_api.txt"
    text = re.sub(r"^MPI_Testsome:\n(?:.*\n)*?(?=^MPI)", "", path.read_text(), flags=re.M)
    assert path.read_text() != text
    path.write_text(text)
    page, names = report(changed, 0)
    assert "MPI_Testany" in names and "MPI_Testsome" not in names
    assert count_of(page, "ids that the release lacks") == len(registry()) - len(entries(names))


def test_report_on_a_generator_without_the_test(changed):
    edit(changed / "maint/local_python/binding_c.py", "MPIR_ERRTEST_INITIALIZED_ORDIE();", "MPIR_TEST_STATE();")
    page, names = report(changed, 1)
    unknown = {name for name, said in names.items() if said == "unclassified"}
    assert "MPI_Send" in unknown and "MPI_Initialized" not in unknown and len(unknown) == count_of(page, "unclassified")
    assert count_of(page, "the gate would test initialization, the release does not") == len(unknown)
    assert f"unclassified functions: {len(unknown)}" in page


def test_report_on_a_function_that_the_generator_does_not_understand(changed):
    edit(changed / "src/binding/mpi_standard_api.txt", "comm: COMMUNICATOR, [communicator of tasks to abort]", "comm: PILE, [tasks]")
    page, names = report(changed, 1)
    assert "KeyError: 'PILE': MPI_Abort\n" in page and page.endswith("(doc/new-base.md): unclassified functions: 1\n")
    assert names["MPI_Abort"] == "unclassified" and names["MPI_Send"] != "unclassified"


@pytest.mark.parametrize("path, old, new, message", [
    ("maint/local_python/binding_c.py", "    dump_qmpi_wrappers(func, func['_is_large'])\n", "", "passes no function to dump_qmpi"),
    ("maint/gen_binding_c.py", "dump_mpi_c(func, False)\n            dump_mpi_c(func, True)", "dump_other(func)", "dump_other")])
def test_report_on_another_generator(changed, path, old, new, message):
    edit(changed / path, old, new)
    page, names = report(changed, 1)
    assert re.search(f"^The binding generator of the tree fails: .*{message}", page, re.M) and names == {}


def test_export(checkout, tmp_path):
    """test_export.py has more, on the releases themselves."""
    checkout.apply()
    checkout.series("export", tmp_path / "export")
    series = (tmp_path / "export/patches/series").read_text().split()
    assert series == ["0001-upstream-fix.patch", "0002-qmpi-overlay.patch", "0003-qmpi-hook.patch", "0004-qmpi-removed.patch"]
    (checkout.release / "patches").symlink_to(tmp_path / "export/patches")
    subprocess.run(["quilt", "push", "-a", "--fuzz=0"], cwd=checkout.release, check=True, stdout=subprocess.DEVNULL)
    checkout.tree = checkout.release
    assert checkout.content() == COMPLETE
    assert os.access(checkout.tree / "src/tool", os.X_OK)
    assert "is not empty" in checkout.series("export", tmp_path / "export", status=1, source=checkout.archive)


def test_upstream_writes_mails_for_git(checkout, tmp_path):
    write(checkout.patches, {"upstream-old.patch": FIX.replace("Last-Update", "Applied-Upstream: 0.9\nLast-Update"),
                             "series": "upstream-fix.patch\nupstream-old.patch\nqmpi-hook.patch\n"})
    said = checkout.series("upstream", tmp_path / "mails", f"--against={checkout.archive}")
    assert [line.split()[1] for line in said.splitlines()] == ["applies", "not"]
    git = ["git", "-C", checkout.release, "-c", "user.name=t", "-c", "user.email=t@t"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "release"], ["am", "-q", *(tmp_path / "mails").iterdir()]):
        subprocess.run([*git, *words], check=True)
    log = subprocess.run([*git, "log", "-1", "--format=%an|%s|%b"], capture_output=True, text=True, check=True).stdout
    assert log.strip() == "QMPI for MPICH developers|core: correct line 3|The reason."
    (checkout.release / "src/core.c").write_text("rewritten\n")
    assert "DOES NOT APPLY" in checkout.series("upstream", tmp_path / "more", f"--against={checkout.release}", status=1)


def test_this_checkout():
    done = subprocess.run([ROOT / "maint/series", "check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
def test_generators_run_with_every_prefix(tmp_path):
    cache = subprocess.run([ROOT / "maint/series", "fetch"], capture_output=True, text=True, check=True).stdout.strip()
    done = subprocess.run([ROOT / "maint/series", "prefixes", "--generate", f"--cache={tmp_path}",
                           f"--with-mpich-source={cache}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
