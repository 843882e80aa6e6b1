# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""maint/series export, of this checkout's series on the releases themselves"""

import ast
import hashlib
import os
import py_compile
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASES = sorted(p.name for p in (ROOT / "patches").iterdir() if not p.is_symlink())


def sh(*command, status=0, **keywords):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **keywords)
    assert done.returncode == status, done.stdout
    return done.stdout


@pytest.fixture(scope="module", params=BASES)
def options(request):
    """Of maint/series, for a base whose source can be had here"""
    words = [f"--base={request.param}"]
    sources = [os.environ.get("MPICH_QMPI_BUILD_SOURCE"), *os.environ.get("QMPI_TEST_SOURCES", "").split(":")]
    for source in [None, *filter(None, sources)]:
        found = words + [f"--with-mpich-source={source}"] if source else words
        if subprocess.run([ROOT / "maint/series", "fetch", *found], capture_output=True).returncode == 0:
            return found
    pytest.skip(f"the source of MPICH {request.param} is not here (MPICH_QMPI_BUILD_SOURCE names it)")


@pytest.fixture(scope="module")
def release(options):
    """The unpacked release"""
    return Path(sh(ROOT / "maint/series", "fetch", "--unpacked", *options).splitlines()[-1])


@pytest.fixture(scope="module")
def exported(options, tmp_path_factory):
    folder = tmp_path_factory.mktemp("export") / "export"
    sh(ROOT / "maint/series", "export", *options, folder)
    return folder


@pytest.fixture(scope="module")
def core(options, tmp_path_factory):
    folder = tmp_path_factory.mktemp("core") / "export"
    sh(ROOT / "maint/series", "export", "--core", *options, folder)
    return folder


def name_of(folder):
    [patch] = folder.glob("mpich-*-qmpi.patch")
    return patch.stem


@pytest.fixture(scope="module")
def touched(exported):
    """Paths that the patch creates, edits or removes"""
    text = (exported / f"{name_of(exported)}.patch").read_text()
    return sorted(set(re.findall(r"^(?:--- a|\+\+\+ b)/(\S+)$", text, re.M)))


@pytest.fixture
def tree(release, touched, tmp_path):
    """A function that makes a folder with the release's files that the patch edits or removes"""
    def make(name):
        for path in touched:
            if (release / path).exists():
                (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(release / path, tmp_path / name / path)
        return tmp_path / name
    return make


def content(folder):
    return {str(p.relative_to(folder)): (p.read_bytes(), os.access(p, os.X_OK)) for p in folder.rglob("*")
            if p.is_file() and p.relative_to(folder).parts[0] not in (".pc", "patches")}


def test_bytes_depend_on_the_change_alone(options, exported, tmp_path):
    """Another checkout, with other time stamps and permissions, elsewhere"""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-c", "-o", "--exclude-standard", "patches", "maint", "packaging", "confdb",
                            "src", "test/mpi", "examples"], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file() and not (ROOT / name).is_symlink():
            (tmp_path / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / "checkout" / name)
            (tmp_path / "checkout" / name).chmod(0o700 if os.access(ROOT / name, os.X_OK) else 0o600)
            os.utime(tmp_path / "checkout" / name, (1e9, 1e9))
    (tmp_path / "checkout/patches/default").symlink_to(os.readlink(ROOT / "patches/default"))
    sh(tmp_path / "checkout/maint/series", "export", *options, tmp_path / "second", umask=0o077, cwd=tmp_path,
       env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C"})
    sh("diff", "-r", exported, tmp_path / "second")


def test_checksums(exported):
    sh("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=exported)
    listed = {line.split("  ", 1)[1] for line in (exported / "SHA256SUMS").read_text().splitlines()}
    assert listed == {str(p.relative_to(exported)) for p in exported.rglob("*") if p.is_file()} - {"SHA256SUMS"}


def test_forms_agree(exported, tree):
    """One patch, with patch and git; the quilt series; the new files and the quilt series without their patch"""
    patch = exported / f"{name_of(exported)}.patch"
    trees = {name: tree(name) for name in ("patch", "git", "quilt", "files")}
    before = content(trees["patch"])
    said = sh("patch", "-p1", "--fuzz=0", "-i", patch, cwd=trees["patch"])
    assert "offset" not in said and "fuzz" not in said
    sh("git", "apply", patch, cwd=trees["git"], env={**os.environ, "GIT_CEILING_DIRECTORIES": str(trees["git"].parent)})
    series = (exported / "patches/series").read_text().split()
    [new_files] = [name for name in series if name.endswith("-qmpi-overlay.patch")]
    assert new_files in (exported / "README").read_text()
    for name in ("quilt", "files"):
        shutil.copytree(exported / "patches", trees[name] / "patches")
    with tarfile.open(exported / f"{name_of(exported)}-files.tar.xz") as tar:
        assert {(m.uid, m.gid, m.uname, m.mode & ~0o111) for m in tar} == {(0, 0, "", 0o644)}
        tar.extractall(trees["files"])
    (trees["files"] / "patches/series").write_text("\n".join(name for name in series if name != new_files))
    for name in ("quilt", "files"):
        sh("quilt", "push", "-a", "--fuzz=0", cwd=trees[name], env={**os.environ, "QUILT_PATCHES": "patches"})
    wanted = content(trees["patch"])
    assert len(wanted) > len(before) + 100
    for name in ("git", "quilt", "files"):
        assert content(trees[name]) == wanted, name


def test_fits_a_tree_with_generated_files(exported, release, touched):
    """No generated file is edited or removed, and none is where a new file will be: the patch fits git's tree as well."""
    if not (release / "src/include/mpi_proto.h").exists():
        pytest.skip(f"{release} has no generated files")
    said = sh("patch", "-p1", "--fuzz=0", "--dry-run", "-i", exported / f"{name_of(exported)}.patch", cwd=release)
    assert "offset" not in said and "fuzz" not in said

    def is_generated(path):
        head = (release / path).read_text(errors="replace").splitlines()[:8]
        return any(re.search("AUTO-GENERATED|DO NOT EDIT|[Gg]enerated (by|from)", line) for line in head)
    assert all(map(is_generated, ["src/include/mpi_proto.h", "configure", "Makefile.in", "src/mpi/errhan/defmsg.h"]))
    assert [p for p in touched if (release / p).is_file() and is_generated(p)] == []


def test_options_of_autogen(exported, release):
    """autogen.sh takes any -without-NAME, and asks do_NAME of what it knows."""
    options = re.search(r"^ +\./autogen\.sh (.*)$", (exported / "README").read_text(), re.M)[1].split()
    text = (release / "autogen.sh").read_text()
    assert options and not [option for option in options if f"do_{option[len('-without-'):]}" not in text]


def patch_digest(exported):
    return hashlib.sha256((exported / f"{name_of(exported)}.patch").read_bytes()).hexdigest()


def test_spack(exported, tmp_path):
    yaml = pytest.importorskip("yaml", reason="this test needs the package python3-yaml")
    folder = exported / "spack/spack_repo/qmpi"
    assert yaml.safe_load((folder / "repo.yaml").read_text())["repo"]["namespace"] == "qmpi"
    recipe = folder / "packages/mpich/package.py"
    py_compile.compile(str(recipe), cfile=str(tmp_path / "x"), doraise=True)
    calls = [node for node in ast.walk(ast.parse(recipe.read_text())) if isinstance(node, ast.Call)
             and getattr(node.func, "id", "") == "patch"]
    [call] = calls
    patch = recipe.parent / ast.literal_eval(call.args[0])
    assert {k.arg: ast.literal_eval(k.value) for k in call.keywords} == {"sha256": hashlib.sha256(patch.read_bytes()).hexdigest()}
    assert patch.read_bytes() == (exported / patch.name).read_bytes()


def test_easybuild(exported):
    """An easyconfig is a Python program that sets variables."""
    recipes = list(exported.glob("easybuild/*.eb"))
    version = name_of(exported).split("-")[1]
    assert bool(recipes) == (version == "4.0.2")
    for recipe in recipes:
        found = {"SOURCELOWER_TAR_GZ": "source"}
        exec(compile(recipe.read_text(), recipe, "exec"), found)
        toolchain = "{name}-{version}".format(**found["toolchain"])
        assert recipe.name == f"{found['name']}-{version}-{toolchain}{found['versionsuffix']}.eb"
        archives = dict(line.split()[1:3] for line in (ROOT / "patches" / version / "base").read_text().splitlines()
                        if line.startswith("archive"))
        tarball = f"mpich-{version}.tar.gz"
        assert found["checksums"] == [{tarball: archives[tarball]}, {found["patches"][0]: patch_digest(exported)}]
        assert (exported / found["patches"][0]).is_file()


def test_conda_forge(exported):
    yaml = pytest.importorskip("yaml", reason="this test needs the package python3-yaml")
    recipe = exported / "conda-forge/recipe.yaml"
    found = yaml.safe_load(recipe.read_text())
    assert found["source"]["patches"] == [f"{name_of(exported)}.patch"]
    assert found["context"]["version"] in name_of(exported) and patch_digest(exported) in recipe.read_text()
    sh("bash", "-n", exported / "conda-forge/qmpi.sh")


def test_gentoo(exported):
    [hook] = (exported / "gentoo/env/sys-cluster").iterdir()
    assert f"{hook.name}-qmpi" == name_of(exported) and patch_digest(exported) in hook.read_text()
    sh("bash", "-n", hook)


def test_rpm(exported, tree, tmp_path):
    """rpmbuild unpacks and patches the release, here the part of it that the patch touches."""
    recipe = exported / "rpm/mpich-qmpi.spec"
    assert f"Patch0:         {name_of(exported)}.patch" in recipe.read_text() and patch_digest(exported) in recipe.read_text()
    if not shutil.which("rpmbuild"):
        pytest.skip("this test needs the program rpmbuild (package rpm)")
    said = sh("rpmspec", "--parse", recipe)
    version = name_of(exported).split("-")[1]
    assert re.search(rf"^Version: +{re.escape(version)}$", said, re.M) and "%patch" not in said
    sources = tmp_path / "sources"
    sources.mkdir()
    shutil.copy(exported / f"{name_of(exported)}.patch", sources)
    with tarfile.open(sources / f"mpich-{version}.tar.gz", "w:gz", compresslevel=1) as tar:
        tar.add(tree("release"), f"mpich-{version}")
    said = sh("rpmbuild", "-bp", "--nodeps", "--define", f"_topdir {tmp_path}", "--define", f"_sourcedir {sources}", recipe)
    assert "offset" not in said
    assert list(tmp_path.glob(f"BUILD/mpich-{version}/src/qmpi/*.c"))


# ---- fixes for MPICH's developers ----

@pytest.fixture(scope="module")
def mails(tmp_path_factory):
    """No release is needed to write them; nothing fits the empty folder."""
    folder = tmp_path_factory.mktemp("mails")
    (folder / "empty").mkdir()
    sh(ROOT / "maint/series", "upstream", "--base=5.0.1", f"--against={folder}/empty", folder, status=1)
    return sorted(folder.glob("*.patch"))


def test_page_has_the_mails(mails):
    page = (ROOT / "doc/upstream/README.md").read_text()
    assert re.findall(r"^\| `(\S+\.patch)`", page, re.M) == [mail.name for mail in mails] != []


def test_git_am(options, release, mails, tmp_path):
    """Each fits alone, and all together. Their tests are in the test suite's lists."""
    if not options[0].endswith("=5.0.1"):
        pytest.skip("the mails are for MPICH 5.0.1")
    edited = {path for mail in mails for path in re.findall(r"^--- a/(\S+)$", mail.read_text(), re.M)}
    for path in edited:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(release / path, tmp_path / path)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", tmp_path]
    sh(*git, "init", "-q")
    sh(*git, "add", "-A")
    sh(*git, "commit", "-qm", "release")
    sh(*git, "tag", "release")
    for some in [[mail] for mail in mails] + [mails]:
        sh(*git, "reset", "-q", "--hard", "release")
        sh(*git, "am", "-q", *some)
        subjects = sh(*git, "log", "--format=%s", "release..").splitlines()
        assert len(subjects) == len(some) and all(re.match(r"[a-z0-9_]+: [a-z]", s) for s in subjects)
    for mail in mails:
        for test in re.findall(r"^Test: (\S+)$", mail.read_text(), re.M):
            path = tmp_path / test
            assert path.is_file()
            testlist, = path.parent.glob("testlist*")
            assert re.search(rf"^{path.stem} ", testlist.read_text(), re.M)


def test_core_is_the_whole_without_the_tools(exported, core):
    def parts(folder):
        return {line.split("-", 1)[1] for line in (folder / "patches/series").read_text().splitlines()}

    def new_files(folder):
        with tarfile.open(folder / f"{name_of(folder)}-files.tar.xz") as tar:
            return set(tar.getnames())
    assert parts(exported) - parts(core) == {"qmpi-tools.patch"} and parts(core) < parts(exported)
    gone = new_files(exported) - new_files(core)
    assert new_files(core) < new_files(exported) and all(name.startswith("src/tools/") for name in gone) and len(gone) > 150
    assert not re.search("^[+-]{3} [ab]/src/tools/", (core / f"{name_of(core)}.patch").read_text(), re.M)
