# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""maint/series, with a made-up release and series."""

import hashlib
import os
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
        for name in ("series", "quiltrc"):
            shutil.copy(ROOT / "maint" / name, self.folder / "maint")

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
    ("src/new.c", "=== BEGIN_CVAR_INFO_BLOCK ===\nX\n=== END_CVAR_INFO_BLOCK ===\n", "generate-key"),
    ("src/new.c", 'x("**new_error");\n', "generate-key"),
    ("src/Makefile.am", "x\n", "generate-key"),
    ("examples/a.c", "x\n", None),
    ("test/mpi/qmpi/Makefile.am", "x\n", "suite-key"),
    ("test/mpi/qmpi/testlist", "x\n", None)])
def test_keys_say_when_autogen_must_run(checkout, path, text, key):
    write(checkout.folder, {path: "before\n"})
    checkout.apply()
    before = {name: (checkout.tree / ".series" / name).read_text() for name in ("generate-key", "suite-key")}
    write(checkout.folder, {path: text})
    checkout.apply()
    assert [name for name in before if (checkout.tree / ".series" / name).read_text() != before[name]] == ([key] if key else [])


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


def test_export_is_a_quilt_series(checkout, tmp_path):
    checkout.apply()
    for name in ("first", "second"):
        checkout.series("export", tmp_path / name)
    subprocess.run(["diff", "-r", tmp_path / "first", tmp_path / "second"], check=True)
    assert (tmp_path / "first/series").read_text().split() == [
        "0001-upstream-fix.patch", "0002-qmpi-overlay.patch", "0003-qmpi-hook.patch", "0004-qmpi-removed.patch"]
    (checkout.release / "patches").symlink_to(tmp_path / "first")
    subprocess.run(["quilt", "push", "-a", "--fuzz=0"], cwd=checkout.release, check=True, stdout=subprocess.DEVNULL)
    checkout.tree = checkout.release
    assert checkout.content() == COMPLETE
    assert os.access(checkout.tree / "src/tool", os.X_OK)
    assert "is not empty" in checkout.series("export", tmp_path / "first", status=1, source=checkout.archive)


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
