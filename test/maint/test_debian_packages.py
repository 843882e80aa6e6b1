# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""packaging/debian: the changed source package, and with --hours the packages themselves"""

import fnmatch
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "packaging/debian/build"


def sh(*command, status=0, **keywords):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **keywords)
    assert done.returncode == status, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def fetched(tmp_path_factory):
    """Debian's source package"""
    folder = tmp_path_factory.mktemp("fetched")
    done = subprocess.run([BUILD, f"--work={folder}", "fetch"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        pytest.skip("apt-get cannot get the source package here: " + done.stdout.strip().splitlines()[-1])
    [dsc] = (folder / "debian").glob("*.dsc")
    return dsc


@pytest.fixture(scope="module")
def exported(fetched, tmp_path_factory):
    [archive] = fetched.parent.glob("*.orig.tar.*")
    folder = tmp_path_factory.mktemp("export")
    sh(ROOT / "maint/series", "export", f"--with-mpich-source={archive}", folder)
    return folder


@pytest.fixture
def source(fetched, tmp_path):
    """The folder debian of the source package"""
    [archive] = fetched.parent.glob("*.debian.tar.*")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path / "mpich")
    return tmp_path / "mpich"


def add(source, export, status=0, **environment):
    return sh(ROOT / "packaging/debian/add-qmpi", source, export, status=status, env={**os.environ, **environment})


def stanzas(path):
    """Fields of each stanza of a control file"""
    return [dict(re.findall(r"^([A-Z][\w-]*):[ \t]*((?:.*)(?:\n[ \t].*)*)", text, re.M))
            for text in re.split(r"\n{2,}", path.read_text().strip())]


def lines(path):
    return [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]


def test_patches_apply_after_those_of_debian(source, exported, fetched):
    before = lines(source / "debian/patches/series")
    add(source, exported)
    series = lines(source / "debian/patches/series")
    ours = (exported / "patches/series").read_text().split()
    assert series == before + ["qmpi/" + name for name in ours]
    pristine = Path(sh(ROOT / "maint/series", "fetch", "--unpacked",
                       f"--with-mpich-source={next(fetched.parent.glob('*.orig.tar.*'))}").splitlines()[-1])
    for name in series:
        for path in re.findall(r"^--- (?:[^/\s]+/)(\S+)", (source / "debian/patches" / name).read_text(), re.M):
            if (pristine / path).is_file() and not (source / path).exists():
                (source / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(pristine / path, source / path)
    said = sh("quilt", "push", "-a", "--fuzz=0", cwd=source, env={**os.environ, "QUILT_PATCHES": "debian/patches"})
    assert "offset" not in said
    assert (source / "src/qmpi").is_dir() and not (source / "src/mpi_t/qmpi_register.c").exists()


def test_control(source, exported):
    before = stanzas(source / "debian/control")
    add(source, exported)
    after = stanzas(source / "debian/control")
    assert [s.get("Package") for s in after] == [s.get("Package") for s in before] + ["mpich-qmpi-tools"]
    changed = {s.get("Package", "source"): {f: s[f] for f in s if s[f] != dict(b).get(f)} for s, b in zip(after, before)}
    old = {s.get("Package", "source"): s for s in before}
    assert {p: set(fields) for p, fields in changed.items() if fields} == {
        "source": {"Build-Depends"}, "libmpich12": {"Suggests"}, "libmpich-dev": {"Depends"}}
    for package, fields in changed.items():
        for field, value in fields.items():
            assert value.endswith(old[package].get(field, "")), "nothing of Debian's is lost"
    known = {word for line in (ROOT / "maint/packages").read_text().splitlines() for word in line.split()[:1]}
    assert {"nlohmann-json3-dev", "libcli11-dev", "libncurses-dev", "libdw-dev", "libotf2-trace-dev"} <= known
    added = after[0]["Build-Depends"][:-len(before[0]["Build-Depends"])]
    assert set(re.findall(r"[a-z][\w.+-]+", added)) <= known


def test_changelog(source, exported):
    before = (source / "debian/changelog").read_text()
    add(source, exported, DEBFULLNAME="A Tester", DEBEMAIL="tester@example.org")
    after = (source / "debian/changelog").read_text()
    assert after.endswith(before)
    version = re.match(r"mpich \((\S+)\)", before)[1]
    entry = after[:-len(before)]
    assert entry.startswith(f"mpich ({version}+qmpi1) ")
    assert re.search(r"^ -- A Tester <tester@example.org>  \w{3}, \d\d \w{3} \d{4} 00:00:00 [-+]0000$", entry, re.M)


@pytest.mark.parametrize("change, message", [
    (lambda source, export: add(source, export), "has QMPI already"),
    (lambda source, export: (source / "debian/changelog").unlink(), "not a Debian source package of MPICH"),
    (lambda source, export: (source / "debian/changelog").write_text("mpich (4.1-1) unstable; urgency=low\n"),
     "the package is of MPICH 4.1, the export of MPICH 4.0.2"),
    (lambda source, export: (source / "debian/control").write_text("Source: mpich\nBuild-Depends: x\n"),
     "debian/control has no package libmpich-dev")])
def test_refuses(source, exported, change, message):
    change(source, exported)
    said = add(source, exported, status=1)
    assert message in said and len(said.splitlines()) == 1


def test_every_installed_file_is_in_a_package(source, exported, mpich):
    """debhelper fails the build if a file is in no package and not in not-installed, or a pattern matches nothing."""
    prefix = mpich.prefix
    before = {path.name: lines(path) for path in (source / "debian").glob("*.install")}
    add(source, exported)
    after = {path.name: lines(path) for path in [*(source / "debian").glob("*.install"), source / "debian/not-installed"]}
    folders = {"include": "usr/include/x86_64-linux-gnu/mpich", "lib": "usr/lib/x86_64-linux-gnu"}
    files = []
    for path in prefix.rglob("*"):
        first, *rest = path.relative_to(prefix).parts
        files += ["/".join([folders.get(first, "usr/" + first), *rest])] if path.is_file() or path.is_symlink() else []
    ours = [f for f in files if "qmpi" in f or "/mpich/tools/" in f or re.search(r"/man3/.*(_tool|_function|calling_address)", f)]

    def takes(pattern, file):       # a folder takes all that is in it
        return any(fnmatch.fnmatch(file, pattern.lstrip("/") + end) for end in ("", "/*"))
    assert len(ours) > 50
    assert [f for f in ours if not any(takes(p.split()[0], f) for patterns in after.values() for p in patterns)] == []
    added = [p for name, patterns in after.items() if name != "not-installed" for p in patterns if p not in before.get(name, [])]
    assert [p for p in added if not any(takes(p, f) for f in files)] == []


def test_symbols(source, exported, mpich):
    """dpkg-gensymbols gives the new version to what QMPI adds and to nothing else. Debian's libraries have other names."""
    if not shutil.which("dpkg-gensymbols"):
        pytest.skip("this test needs the program dpkg-gensymbols (package dpkg-dev)")
    prefix = mpich.prefix
    add(source, exported)
    assert [p.name for p in (source / "debian").glob("*.symbols*")] == ["libmpich12.symbols"]
    version = re.match(r"mpich \((\S+)\)", (source / "debian/changelog").read_text())[1]
    path = source / "debian/libmpich12.symbols"
    path.write_text(re.sub("^libmpich(cxx|fort)?", r"libmpi\1", path.read_text(), flags=re.M))
    for folder in ("DEBIAN", "usr/lib"):
        (source / "debian/libmpich12" / folder).mkdir(parents=True)
    for name in ("libmpi", "libmpicxx", "libmpifort"):
        shutil.copy(prefix / f"lib/{name}.so.12", source / "debian/libmpich12/usr/lib")
    sh("dpkg-gensymbols", "-plibmpich12", "-Pdebian/libmpich12", "-c4", f"-v{version}", cwd=source)
    library, found = None, {}
    for line in lines(source / "debian/libmpich12/DEBIAN/symbols"):
        if line.startswith("lib"):
            library = line.split(".")[0]
        else:
            name, number = line.split()
            found.setdefault(library, {})[name.split("@")[0]] = number
    assert {number for names in found.values() for number in names.values()} == {"4.0.2", version + "~"}
    new = {library: {name for name, number in names.items() if number != "4.0.2"} for library, names in found.items()}
    assert not new["libmpicxx"] and len(new["libmpi"]) > 700 and len(new["libmpifort"]) > 2000
    old = {library: set(names) - new[library] for library, names in found.items()}
    assert {"MPI_Send", "PMPI_T_cvar_read", "MPI_Get_count", "MPI_T_init_thread"} <= old["libmpi"] and "mpi_send_" in old["libmpifort"]
    api = (ROOT / "src/qmpi/qmpi_api.txt").read_text()
    functions = {name for name in re.findall(r"^(MPIX?_\w+):", api, re.M) if name in found["libmpi"]}
    assert len(functions) > 15 and functions <= new["libmpi"] and {"P" + name for name in functions} <= new["libmpi"]
    assert not any("qmpi" in name.lower() for name in old["libmpi"] | old["libmpifort"])


def test_autopkgtest(source, exported, mpich, tmp_path):
    """The package's own test, with an installation in the place of the packages"""
    prefix = mpich.prefix
    add(source, exported)
    sh(source / "debian/tests/qmpi", cwd=source, env={
        **os.environ, "PATH": f"{prefix}/bin:{os.environ['PATH']}", "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig",
        "LD_LIBRARY_PATH": f"{prefix}/lib", "AUTOPKGTEST_TMP": str(tmp_path)})


CONTROL = "Package: {}\nVersion: 1\nArchitecture: all\nMaintainer: A Tester\nInstalled-Size: 7\nDescription: of a test\n"
ONE = {"DEBIAN/symbols": "libone.so.1 one #MINVER#\n first@Base 1\n second@Base 1\n", "usr/lib/libone.so.1.2": "", "usr/share/one": ""}
# with a function of MPICH's experimental interface, which QMPI removes
OLD = {"one": {**ONE, "DEBIAN/symbols": ONE["DEBIAN/symbols"] + " QMPI_Get_function@Base 1\n",
               "usr/share/doc/one/changelog.Debian.amd64.gz": ""}, "two": {"usr/bin/two": ""}}
NEW = {"one": {"DEBIAN/symbols": ONE["DEBIAN/symbols"] + " third@Base 2\n", "usr/lib/libone.so.1.3": "", "usr/share/one": ""},
       "one-dbgsym": {"usr/lib/debug/one": ""}, "two": {"usr/bin/two": ""}, "three": {"usr/bin/three": ""}}


def without(package, path=None):
    """NEW without a package or a file"""
    return {name: {p: text for p, text in content.items() if p != path} for name, content in NEW.items() if path or name != package}


@pytest.mark.parametrize("packages, tags, lost, new", [
    (NEW, "", [], []),
    ({**NEW, "one": {**NEW["one"], "DEBIAN/symbols": ONE["DEBIAN/symbols"].replace("second", "third")}}, "", ["one: libone.so.1: second@Base"], []),
    (without("one", "usr/share/one"), "", ["one: ./usr/share/one"], []),
    (without("one", "DEBIAN/symbols"), "", ["one: libone.so.1: first@Base", "one: libone.so.1: second@Base"], []),
    (without("two"), "", ["two"], []),
    (NEW, "W: one: old-warning [debian/control:9]\nP: one: pedantic\n", [], []),
    (NEW, "W: one: new-warning [debian/control:7]\n", [], ["W: one: new-warning [debian/control]"]),
    (NEW, "E: two: new-error\n", [], ["E: two: new-error"])])
def test_comparison(tmp_path, packages, tags, lost, new):
    """Debian's packages and ours; minor versions of libraries and line numbers differ."""
    lintian = tmp_path / "bin/lintian"
    lintian.parent.mkdir()
    lintian.write_text("#!/bin/sh\ncat tags\n")
    lintian.chmod(0o755)
    for folder, contents, said in (("old", OLD, "W: one: old-warning [debian/control:7]\n"), ("new", packages, tags)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "tags").write_text(said)
        for name, content in contents.items():
            for path, text in {"DEBIAN/control": CONTROL.format(name), **content}.items():
                (tmp_path / name / folder / path).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / name / folder / path).write_text(text)
            sh("dpkg-deb", "--root-owner-group", "--build", tmp_path / name / folder, tmp_path / folder / f"{name}_1_all.deb")
    said = sh(BUILD.parent / "compare-packages", tmp_path / "old", tmp_path / "new", status=1 if lost or new else 0,
              env={**os.environ, "PATH": f"{lintian.parent}:{os.environ['PATH']}"})
    assert re.findall("^lost: (.*)$", said, re.M) == lost
    assert re.findall("^lintian, new: (.*)$", said, re.M) == new
    assert re.search(r"^three +- +\d+ +- +7 +\+1 +\+0$", said, re.M) and "one-dbgsym" not in said


@pytest.mark.parametrize("path", ["build", "try-packages", "files/tests/qmpi"])
def test_scripts(path):
    sh("bash", "-n", ROOT / "packaging/debian" / path)


@pytest.mark.nightly
def test_packages():
    """The whole command; the cache keeps what has not changed."""
    if os.getuid() or not shutil.which("mmdebstrap"):
        pytest.skip("needs root and the package mmdebstrap")
    cache = Path(os.environ.get("MPICH_QMPI_BUILD_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "qmpi-mpich"))
    sh(BUILD, f"--work={cache}/debian")
    names = {path.name.split("_")[0] for path in (cache / "debian/source").glob("*.deb")}
    assert {name for name in names if not name.endswith("-dbgsym")} == {"libmpich12", "libmpich-dev", "mpich", "mpich-doc", "mpich-qmpi-tools"}
    assert (cache / "debian/comparison").read_text().endswith("\n0 lost, 0 new errors and warnings of lintian\n")
    sh(BUILD, f"--work={cache}/debian", "try")
    log = (cache / "debian/try.log").read_text()
    assert log.count(": PASS\n") == 5 and "try: removed: nothing left\n" in log
