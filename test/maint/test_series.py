# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory
"""maint/series, on a small MPICH made up here; the last class on the real one."""

import hashlib
import importlib.machinery
import importlib.util
import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

ABC = "".join("line %s\n" % c for c in "abcdefghijklmnopqrstuvwxyz")
BASE = {
    "maint/version.m4": "m4_define([MPICH_VERSION_m4],[4.0.2])dnl\n",
    "configure.ac": ABC,
    "src/a.c": ABC,
    "src/b.c": ABC.replace("line", "text"),
    "src/old.c": "old\n",
    "autogen.sh": "#!/bin/sh\nexit 0\n",
}
HEAD = "Description: why\n More about it.\nForwarded: no\nLast-Update: 2026-11-21\n\n"
PATCH_A = """--- a/src/a.c
+++ b/src/a.c
@@ -2,6 +2,7 @@ line a
 line b
 line c
 line d
+new line
 line e
 line f
 line g
"""


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def read(path):
    with open(path) as f:
        return f.read()


def files_of(top, leave_out=()):
    """path -> (content, executable) of everything below a folder"""
    found = {}
    for folder, folders, names in os.walk(top):
        folders[:] = [f for f in folders if os.path.relpath(os.path.join(folder, f), top) not in leave_out]
        for name in names:
            full = os.path.join(folder, name)
            data = os.readlink(full) if os.path.islink(full) else open(full, "rb").read()
            found[os.path.relpath(full, top)] = (data, not os.path.islink(full) and os.access(full, os.X_OK))
    return found


def load_program():
    loader = importlib.machinery.SourceFileLoader("series_program", os.path.join(TOP, "maint/series"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("series_program", loader))
    loader.exec_module(module)
    return module


class Project(unittest.TestCase):
    """A checkout of its own with one patch, one overlay file and one removed file, and a base for it."""

    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="test-series-")
        self.addCleanup(shutil.rmtree, self.work)
        self.root = os.path.join(self.work, "project")
        self.dest = os.path.join(self.work, "tree")
        self.tarball = os.path.join(self.work, "base.tar.xz")
        self.cache = os.path.join(self.work, "cache")
        for name in ("series", "quiltrc"):
            os.makedirs(self.root + "/maint", exist_ok=True)
            shutil.copy2(os.path.join(TOP, "maint", name), self.root + "/maint")
        self.make_tarball(BASE)
        self.put("patches/series", "a.patch\n")
        self.put("patches/a.patch", HEAD + PATCH_A)
        self.put("patches/removed", "src/old.c\n")
        self.put("src/qmpi/new.c", "int new;\n")

    def put(self, path, text, mode=0o644):
        write(os.path.join(self.root, path), text, mode)

    def make_tarball(self, files):
        with tarfile.open(self.tarball, "w:xz") as archive:
            for path, text in files.items():
                member = tarfile.TarInfo("mpich-4.0.2/" + path)
                member.size, member.mtime = len(text), 1600000000
                member.mode = 0o755 if path.endswith(".sh") else 0o644
                archive.addfile(member, io.BytesIO(text.encode()))
        self.set_checksum(hashlib.sha256(open(self.tarball, "rb").read()).hexdigest())

    def set_checksum(self, checksum):
        self.put("maint/mpich.version", "version 4.0.2\ndebian-version 4.0.2-3\ndebian-suite bookworm\n"
                 "file base.tar.xz\nsha256 %s\n" % checksum)

    def series(self, verb, *arguments, source=True, status=0):
        """Run the program; gives what it printed."""
        command = [self.root + "/maint/series", verb, "--cache", self.cache]
        if source:
            command += ["--with-mpich-source", self.tarball if source is True else source]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("QMPI_")}
        p = subprocess.run(command + list(arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                           universal_newlines=True, cwd=self.work)
        self.assertEqual(p.returncode, status, p.stdout)
        self.assertNotIn("Traceback", p.stdout)
        return p.stdout

    def refused(self, verb, *arguments, **keywords):
        return self.series(verb, *arguments, status=1, **keywords)

    def apply(self):
        return self.series("apply", self.dest)

    def tree(self, path):
        return os.path.join(self.dest, path)

    def age(self):
        """Make every file of the tree old, so that a new time stamp shows"""
        for folder, _, names in os.walk(self.dest):
            for name in names:
                os.utime(os.path.join(folder, name), (1500000000, 1500000000))

    def touched(self):
        """Files of MPICH's tree that were written since age()"""
        return sorted(p for p in files_of(self.dest, (".pc", "patches", ".series"))
                      if os.stat(self.tree(p)).st_mtime != 1500000000)


class Apply(Project):
    def test_result_is_base_and_overlay_and_series(self):
        self.apply()
        expected = {k: (v.encode(), k.endswith(".sh")) for k, v in BASE.items()}
        del expected["src/old.c"]
        expected["src/qmpi/new.c"] = (b"int new;\n", False)
        expected["src/a.c"] = (BASE["src/a.c"].replace("line d\n", "line d\nnew line\n").encode(), False)
        self.assertEqual(files_of(self.dest, (".pc", "patches", ".series")), expected)

    def test_offset_is_refused(self):
        self.put("patches/a.patch", HEAD + PATCH_A.replace("@@ -2,6 +2,7 @@", "@@ -5,6 +5,7 @@"))
        text = self.refused("apply", self.dest)
        self.assertIn("patches/a.patch", text)
        self.assertIn("offset", text)

    def test_fuzz_is_refused(self):
        self.put("patches/a.patch", HEAD + PATCH_A.replace(" line b\n", " line B\n"))
        text = self.refused("apply", self.dest)
        self.assertIn("patches/a.patch", text)
        self.assertIn("src/a.c", text)

    def test_failed_apply_leaves_no_tree(self):
        self.put("patches/a.patch", HEAD + PATCH_A.replace(" line b\n", " line B\n"))
        self.refused("apply", self.dest)
        self.assertEqual([n for n in os.listdir(self.work) if n.startswith("tree")], [])

    def test_missing_patch_file_is_named(self):
        os.unlink(self.root + "/patches/a.patch")
        self.assertIn("patches/a.patch", self.refused("apply", self.dest))

    def test_wrong_checksum_of_given_tarball_names_both_sums_and_keeps_it(self):
        right = hashlib.sha256(open(self.tarball, "rb").read()).hexdigest()
        self.set_checksum("0" * 64)
        text = self.refused("apply", self.dest)
        self.assertIn("0" * 64, text)
        self.assertIn(right, text)
        self.assertTrue(os.path.exists(self.tarball))

    def test_wrong_checksum_in_the_cache_removes_the_file(self):
        os.makedirs(self.cache)
        write(self.cache + "/base.tar.xz", "something else")
        text = self.refused("apply", self.dest, source=False)
        self.assertIn("wrong SHA-256", text)
        self.assertFalse(os.path.exists(self.cache + "/base.tar.xz"))

    def test_truncated_tarball_is_named_and_leaves_no_tree(self):
        with open(self.tarball, "r+b") as f:
            f.truncate(os.path.getsize(self.tarball) * 2 // 3)
        self.set_checksum(hashlib.sha256(open(self.tarball, "rb").read()).hexdigest())
        self.assertIn(self.tarball, self.refused("apply", self.dest))
        self.assertFalse(os.path.exists(self.dest))

    def test_source_tree_gives_the_same_and_is_said_to_be_unchecked(self):
        self.apply()
        source = os.path.join(self.work, "unpacked")
        for path, text in BASE.items():
            write(os.path.join(source, path), text, 0o755 if path.endswith(".sh") else 0o644)
        other = os.path.join(self.work, "other")
        self.assertIn("not checksummed", self.series("apply", other, source=source))
        leave_out = (".pc", "patches", ".series")
        self.assertEqual(files_of(other, leave_out), files_of(self.dest, leave_out))

    def test_source_tree_of_another_version_is_refused(self):
        source = os.path.join(self.work, "unpacked")
        write(source + "/maint/version.m4", "m4_define([MPICH_VERSION_m4],[4.1])dnl\n")
        text = self.refused("apply", self.dest, source=source)
        self.assertIn("4.1", text)
        self.assertIn("4.0.2", text)

    def test_foreign_folder_is_not_overwritten(self):
        write(self.dest + "/mine", "mine")
        self.assertIn(self.dest, self.refused("apply", self.dest))
        self.assertEqual(read(self.dest + "/mine"), "mine")

    def test_unwritable_cache_is_one_message(self):
        write(self.work + "/file", "")
        self.cache = self.work + "/file/cache"
        text = self.refused("apply", self.dest, source=False)
        self.assertIn(self.cache, text)
        self.assertEqual(len(text.splitlines()), 1, text)


class Update(Project):
    def setUp(self):
        Project.setUp(self)
        self.apply()
        self.age()

    def test_second_run_writes_nothing(self):
        before = os.stat(self.tree(".series/manifest.json")).st_mtime
        self.assertIn("up to date", self.apply())
        self.assertEqual((self.touched(), os.stat(self.tree(".series/manifest.json")).st_mtime), ([], before))

    def test_changed_overlay_file_touches_only_itself(self):
        self.put("src/qmpi/new.c", "int newer;\n")
        self.apply()
        self.assertEqual(self.touched(), ["src/qmpi/new.c"])
        self.assertEqual(read(self.tree("src/qmpi/new.c")), "int newer;\n")

    def test_changed_patch_touches_only_its_file(self):
        self.put("patches/a.patch", HEAD + PATCH_A.replace("+new line", "+newer line"))
        self.apply()
        self.assertEqual(self.touched(), ["src/a.c"])
        self.assertIn("newer line\n", read(self.tree("src/a.c")))

    def test_patch_taken_out_restores_the_file(self):
        self.put("patches/series", "")
        self.apply()
        self.assertEqual(read(self.tree("src/a.c")), BASE["src/a.c"])

    def test_overlay_file_taken_out_goes_with_its_folder(self):
        os.unlink(self.root + "/src/qmpi/new.c")
        self.apply()
        self.assertFalse(os.path.exists(self.tree("src/qmpi")))

    def test_file_no_longer_removed_comes_back(self):
        self.put("patches/removed", "")
        self.apply()
        self.assertEqual(read(self.tree("src/old.c")), "old\n")

    def test_files_of_generators_stay(self):
        write(self.tree("configure"), "generated\n")
        self.put("src/qmpi/new.c", "int newer;\n")
        self.apply()
        self.assertEqual(read(self.tree("configure")), "generated\n")

    def test_lost_file_is_named_and_edit_is_not_overwritten(self):
        write(self.tree("src/qmpi/new.c"), "int edited;\n")
        self.put("src/qmpi/new.c", "int newer;\n")
        self.assertIn("src/qmpi/new.c", self.refused("apply", self.dest))
        self.assertEqual(read(self.tree("src/qmpi/new.c")), "int edited;\n")

    def test_force_overwrites_an_edit(self):
        write(self.tree("src/qmpi/new.c"), "int edited;\n")
        self.series("apply", "--force", self.dest)
        self.assertEqual(read(self.tree("src/qmpi/new.c")), "int new;\n")

    def test_interrupted_update_is_finished(self):
        # the state after an interruption: one file is new already, the record is old
        self.put("src/qmpi/second.c", "int second;\n")
        self.put("src/qmpi/new.c", "int newer;\n")
        write(self.tree("src/qmpi/new.c"), "int newer;\n")
        self.apply()
        self.assertEqual(read(self.tree("src/qmpi/second.c")), "int second;\n")

    def test_plain_c_change_does_not_ask_for_autogen(self):
        self.put("src/qmpi/new.c", "int newer;\n")
        self.apply()
        self.assertEqual(os.stat(self.tree(".series/generate-key")).st_mtime, 1500000000)

    def test_changed_cvar_block_asks_for_autogen(self):
        self.put("src/qmpi/new.c", "/* === BEGIN_CVAR_INFO_BLOCK ===\n x\n === END_CVAR_INFO_BLOCK === */\n")
        self.apply()
        self.assertNotEqual(os.stat(self.tree(".series/generate-key")).st_mtime, 1500000000)

    def test_new_test_program_asks_for_the_suites_autogen_only(self):
        self.put("test/mpi/qmpi/Makefile.am", "x = 1\n")
        self.apply()
        self.assertEqual(os.stat(self.tree(".series/generate-key")).st_mtime, 1500000000)
        self.assertNotEqual(os.stat(self.tree(".series/suite-key")).st_mtime, 1500000000)


class Refresh(Project):
    def setUp(self):
        Project.setUp(self)
        self.apply()

    def edit(self, path, old, new):
        write(self.tree(path), read(self.tree(path)).replace(old, new))

    def test_edit_of_a_patched_file_goes_into_its_patch(self):
        self.edit("src/a.c", "line p\n", "line P\n")
        self.series("refresh", "--tree", self.dest)
        text = read(self.root + "/patches/a.patch")
        self.assertTrue(text.startswith(HEAD))
        self.assertIn("\n-line p\n+line P\n", text)

    def test_refreshed_series_gives_the_edited_tree(self):
        self.edit("src/a.c", "line p\n", "line P\n")
        self.edit("src/b.c", "text p\n", "text P\n")
        self.series("refresh", "--tree", self.dest, "a.patch")
        other = os.path.join(self.work, "other")
        self.series("apply", other)
        self.assertEqual(files_of(other, (".series",)), files_of(self.dest, (".series",)))

    def test_edit_of_an_overlay_file_goes_back(self):
        self.edit("src/qmpi/new.c", "new", "newer")
        self.series("refresh", "--tree", self.dest)
        self.assertEqual(read(self.root + "/src/qmpi/new.c"), "int newer;\n")

    def test_edited_file_of_no_patch_is_named(self):
        self.edit("src/b.c", "text p\n", "text P\n")
        self.assertIn("src/b.c", self.refused("refresh", "--tree", self.dest))

    def test_new_patch_takes_the_edit_and_passes_check(self):
        self.edit("src/b.c", "text p\n", "text P\n")
        self.series("refresh", "--tree", self.dest, "--new", "b.patch")
        self.assertEqual(read(self.root + "/patches/series"), "a.patch\nb.patch\n")
        self.assertIn(", 0 failed\n", self.series("check"))

    def test_edit_below_a_later_patch_is_refused(self):
        self.edit("src/b.c", "text p\n", "text P\n")
        self.series("refresh", "--tree", self.dest, "--new", "b.patch")
        self.edit("src/b.c", "text q\n", "text Q\n")
        self.series("refresh", "--tree", self.dest, "a.patch")
        self.assertIn("+text Q\n", read(self.root + "/patches/b.patch"))
        self.assertNotIn("src/b.c", read(self.root + "/patches/a.patch"))

    def test_white_space_at_the_end_of_new_lines_goes(self):
        self.edit("src/a.c", "line p\n", "line P  \n")
        self.series("refresh", "--tree", self.dest)
        self.assertIn("\n+line P\n", read(self.root + "/patches/a.patch"))
        self.assertIn("line P\n", read(self.tree("src/a.c")))

    def test_form_is_restored_without_a_tree(self):
        self.put("patches/a.patch", HEAD + "diff --git a/src/a.c b/src/a.c\nindex 1..2 100644\n" + PATCH_A)
        self.series("refresh")
        self.assertEqual(read(self.root + "/patches/a.patch"), HEAD + PATCH_A)

    def test_form_is_that_of_quilt(self):
        self.edit("src/a.c", "line p\n", "line P\n")
        self.series("refresh", "--tree", self.dest)
        ours = read(self.root + "/patches/a.patch")
        subprocess.run(["quilt", "--quiltrc", self.root + "/maint/quiltrc", "refresh", "-f"], cwd=self.dest, check=True,
                       stdout=subprocess.PIPE, env=dict(os.environ, QUILT_PATCHES="patches"))
        self.assertEqual(read(self.tree("patches/a.patch")), ours)

    def test_head_edited_with_quilt_is_taken(self):
        copy = self.tree("patches/a.patch")
        write(copy, read(copy).replace("Description: why", "Description: because"))
        self.series("refresh", "--tree", self.dest)
        self.assertTrue(read(self.root + "/patches/a.patch").startswith("Description: because\n"))


class Check(Project):
    def failing(self):
        """The checks that fail, with their findings"""
        return "".join(l for l in self.series("check", status=1).splitlines(True) if not l.startswith("pass"))

    def test_passes_when_all_is_in_order(self):
        self.assertRegex(self.series("check"), r"\n\d+ passed, 0 failed\n$")

    def test_patch_file_that_is_not_listed(self):
        self.put("patches/left.patch", HEAD + PATCH_A)
        self.assertIn("patches/left.patch is not listed", self.failing())

    def test_patch_that_is_listed_and_missing(self):
        self.put("patches/series", "a.patch\nb.patch\n")
        self.assertIn("patches/b.patch", self.failing())

    def test_patch_listed_twice(self):
        self.put("patches/series", "a.patch\na.patch\n")
        self.assertIn("a.patch is listed twice", self.failing())

    def test_patch_without_a_field_of_the_head(self):
        for field in ("Description", "Forwarded", "Last-Update"):
            self.put("patches/a.patch", re.sub("(?m)^%s:.*\n" % field, "", HEAD) + PATCH_A)
            self.assertIn("patches/a.patch: no " + field, self.failing())

    def test_second_patch_of_a_file_with_an_offset(self):
        second = PATCH_A.replace("@@ -2,6 +2,7 @@ line a", "@@ -16,6 +16,7 @@ line n").replace("new line", "second")
        for old, new in zip("bcdefg", "opqrst"):
            second = second.replace(" line %s\n" % old, " line %s\n" % new)
        self.put("patches/series", "a.patch\nb.patch\n")
        self.put("patches/b.patch", HEAD + second)
        self.assertIn(", 0 failed", self.series("check"))
        self.put("patches/b.patch", HEAD + second.replace("-16,6 +16,7", "-15,6 +15,7"))
        self.assertIn("patches/b.patch does not apply exactly", self.failing())

    def test_patch_in_another_form(self):
        self.put("patches/a.patch", HEAD + PATCH_A.replace("@@ line a", "@@"))
        self.assertIn("patches/a.patch is not in its regular form", self.failing())

    def test_patch_that_makes_a_file(self):
        self.put("patches/a.patch", HEAD + "--- /dev/null\n+++ b/src/c.c\n@@ -0,0 +1 @@\n+int c;\n")
        self.assertIn("new ones belong to the overlay", self.failing())

    def test_overlay_file_of_the_base(self):
        self.put("src/b.c", "other\n")
        self.assertIn("src/b.c exists in MPICH", self.failing())

    def test_removed_name_that_does_not_exist(self):
        self.put("patches/removed", "src/none.c\n")
        self.assertIn("src/none.c does not exist", self.failing())

    def test_removed_file_that_a_patch_edits(self):
        self.put("patches/removed", "src/a.c\n")
        self.assertIn("src/a.c", self.failing())

    def test_copied_file(self):
        self.put("doc/copy.c", BASE["src/b.c"])
        self.assertIn("doc/copy.c is the base's src/b.c", self.failing())

    def test_path_of_a_machine(self):
        self.put("doc/guide.md", "see /" + "home/somebody/mpich\n")
        self.assertIn("doc/guide.md:1", self.failing())

    def test_wrong_checksum_of_the_base(self):
        self.set_checksum("0" * 64)
        self.assertIn("wrong SHA-256", self.failing())


class Export(Project):
    def test_quilt_makes_the_tree_that_apply_makes(self):
        self.put("src/qmpi/tool.sh", "#!/bin/sh\necho no newline at the end", 0o755)
        self.apply()
        exported, plain = self.work + "/exported", self.work + "/plain"
        self.series("export", exported)
        os.mkdir(plain)
        subprocess.run(["tar", "-xf", self.tarball, "-C", plain, "--strip-components=1"], check=True)
        push(exported, plain)
        self.assertEqual(files_of(plain, (".pc",)), files_of(self.dest, (".pc", "patches", ".series")))

    def test_names_are_numbered_in_order(self):
        self.series("export", self.work + "/e")
        self.assertEqual(read(self.work + "/e/series"), "0001-overlay.patch\n0002-removed.patch\n0003-a.patch\n")

    def test_empty_overlay_file_is_refused(self):
        self.put("src/qmpi/empty.h", "")
        self.assertIn("src/qmpi/empty.h", self.refused("export", self.work + "/e"))


def push(patches, tree):
    """quilt push -a, as a distribution would"""
    p = subprocess.run(["quilt", "--quiltrc", "-", "push", "-a", "--fuzz=0"], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       env=dict(os.environ, QUILT_PATCHES=patches, LC_ALL="C"), universal_newlines=True)
    if p.returncode != 0 or re.search(r"offset|fuzz", p.stdout):
        raise AssertionError("quilt push -a: " + p.stdout[-2000:])


class SourceLists(unittest.TestCase):
    """The private list that fetch derives from a machine's own"""

    OWN = ("# main\nTypes: deb deb-src\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\n"
           "Components: main contrib\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n")
    UPDATES = OWN.replace("bookworm bookworm-updates", "bookworm-security").replace("/debian\n", "/debian-security\n")
    THIRD = "Types: deb\nURIs: https://third.example/node\nSuites: nodistro\nComponents: main\nSigned-By: /usr/share/keyrings/third.gpg\n"
    SAME_SUITE = THIRD.replace("nodistro", "bookworm")

    def derive(self, files, codename="bookworm"):
        with tempfile.TemporaryDirectory() as etc:
            write(etc + "/os-release", "ID=debian\nVERSION_CODENAME=%s\n" % codename)
            for name, text in files.items():
                write(os.path.join(etc, "apt", name), text)
            program = load_program()
            return program.Fetcher(program.Version(), etc, etc).derive()

    def test_own_archive_is_kept_as_source(self):
        stanzas, _ = self.derive({"sources.list.d/debian.sources": self.OWN})
        self.assertEqual(stanzas, "Types: deb-src\nURIs: http://mirror.example/debian\nSuites: bookworm\nComponents: main\n"
                         "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg")

    def test_third_parties_and_security_are_left_out(self):
        stanzas, lines = self.derive({"sources.list.d/a.sources": self.UPDATES, "sources.list.d/b.sources": self.THIRD,
                                      "sources.list.d/c.sources": self.SAME_SUITE,
                                      "sources.list.d/d.list": "deb https://third.example/apt cloud-bookworm main\n"})
        self.assertEqual((stanzas, lines), ("", ""))

    def test_two_stanzas_of_one_file(self):
        stanzas, _ = self.derive({"sources.list.d/debian.sources": self.UPDATES + "\n" + self.OWN})
        self.assertEqual(stanzas.count("URIs:"), 1)
        self.assertIn("http://mirror.example/debian\n", stanzas)

    def test_disabled_stanza_is_left_out(self):
        self.assertEqual(self.derive({"sources.list.d/debian.sources": self.OWN + "Enabled: no\n"}), ("", ""))

    def test_file_of_another_kind_is_left_out(self):
        self.assertEqual(self.derive({"sources.list.d/debian.sources.off": self.OWN}), ("", ""))

    def test_one_line_form(self):
        _, lines = self.derive({"sources.list": "# deb http://off.example/debian bookworm main\n"
                                "deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.example/debian bookworm main non-free # x\n"
                                "deb http://mirror.example/debian bookworm-updates main\n"})
        self.assertEqual(lines, "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://mirror.example/debian bookworm main")

    def test_later_release_asks_for_the_bases_suite(self):
        stanzas, _ = self.derive({"sources.list.d/debian.sources": self.OWN.replace("bookworm", "trixie")}, "trixie")
        self.assertIn("Suites: bookworm\n", stanzas)


class TheRealOne(unittest.TestCase):
    def test_exported_series_makes_the_tree_that_apply_makes(self):
        """quilt push -a on the pristine tarball; needs the base (fetched, or QMPI_MPICH_SOURCE)"""
        program = os.path.join(TOP, "maint/series")
        with tempfile.TemporaryDirectory(prefix="test-series-") as work:
            run = lambda *a: subprocess.run([program] + list(a), check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
            source = run("fetch").strip()
            run("apply", work + "/tree")
            run("export", work + "/exported")
            os.mkdir(work + "/plain")
            if os.path.isdir(source):
                subprocess.run(["cp", "-a", source + "/.", work + "/plain"], check=True)
            else:
                subprocess.run(["tar", "-xf", source, "-C", work + "/plain", "--strip-components=1", "--no-same-owner"], check=True)
            push(work + "/exported", work + "/plain")
            ours, theirs = files_of(work + "/tree", (".pc", "patches", ".series")), files_of(work + "/plain", (".pc", ".git"))
            self.assertEqual(sorted(set(ours) ^ set(theirs)), [])
            self.assertEqual([p for p in ours if ours[p] != theirs[p]], [])


if __name__ == "__main__":
    unittest.main()
