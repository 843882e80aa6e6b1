# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""configure.ac and Makefile.am, with a made-up release of MPICH."""

import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# MPICH's configure records its arguments; what make does is recorded too.
CONFIGURE = r"""#!/bin/sh
ac_user_opts='
enable_qmpi
enable_g
enable_fortran
enable_shared
enable_static
with_device
with_ucx
with_hwloc
with_datatype_engine
with_json
with_cli11
with_ncurses
with_libdw
with_otf2
'
ac_precious_vars='CC'
echo configure >> "$CALLS"
for word; do printf '%s\n' "$word"; case $word in --prefix=*) prefix=${word#*=} ;; esac; done > options
mkdir -p test/mpi
printf 'testing:\n\techo "tools: $$MPIR_CVAR_QMPI_TOOL_LIST"\n\ttouch summary.junit.xml\n' > test/mpi/Makefile
cat > Makefile <<EOF
libmpi:
	echo make >> "$CALLS"; touch libmpi
install: libmpi
	mkdir -p \$(DESTDIR)$prefix/bin && touch \$(DESTDIR)$prefix/bin/mpiexec && chmod +x \$(DESTDIR)$prefix/bin/mpiexec
uninstall:
	rm \$(DESTDIR)$prefix/bin/mpiexec
EOF
"""
AUTOGEN = f"""#!/bin/sh
echo "autogen.sh $*" >> "$CALLS"
cat > configure <<'EOF'
{CONFIGURE}EOF
chmod +x configure
"""
RELEASE = {
    "maint/version.m4": "m4_define([MPICH_VERSION_m4],[1.0])\n",
    "autogen.sh": AUTOGEN,
    "test/mpi/autogen.sh": "#!/bin/sh\n",
    "src/core.c": "one\ntwo\n",
}
PATCH = """Description: core: hook
Author: QMPI for MPICH developers
Forwarded: no
Last-Update: 2026-11-29

--- a/src/core.c
+++ b/src/core.c
@@ -1,2 +1,3 @@
 one
+hook
 two
"""


def write(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
        (folder / path).chmod(0o755 if text.startswith("#!") else 0o644)


def make_checkout(folder):
    """A checkout with a series of one patch; folder/mpich-1.0 is its release."""
    write(folder / "mpich-1.0", RELEASE)
    checkout = folder / "checkout"
    for name in ("configure.ac", "Makefile.am", "README.md", "CHANGES", "COPYRIGHT", "pytest.ini", ".clang-format", ".clang-tidy"):
        (checkout / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, checkout)
    for name in ("maint", "packaging", ".ci"):
        shutil.copytree(ROOT / name, checkout / name)
    write(checkout, {"confdb/aclocal_qmpi.m4": (ROOT / "confdb/aclocal_qmpi.m4").read_text(),
                     "patches/1.0/base": "version 1.0\nautogen -without-ofi\n", "patches/1.0/series": "qmpi-hook.patch\n",
                     "patches/1.0/removed": "", "patches/1.0/qmpi-hook.patch": PATCH, "src/qmpi/new.c": "new\n",
                     "src/qmpi/new.c~": "backup\n", "test/mpi/qmpi/testlist": "one 2\n", "examples/a.c": "a\n", "doc/a.md": "a\n"})
    (checkout / "patches/default").symlink_to("1.0")
    (checkout / "maint/quickstart").write_text('#!/bin/sh\necho "quickstart $*" >> "$CALLS"\n')
    return checkout


class Project:
    def __init__(self, folder, checkout):
        self.folder, self.checkout, self.build = folder, checkout, folder / "build"
        self.calls_file = folder / "calls"
        self.build.mkdir(exist_ok=True)
        self.environment = {n: v for n, v in os.environ.items() if n not in ("CC", "CFLAGS", "FFLAGS", "MAKEFLAGS") and "MPICH" not in n}
        self.environment.update(CALLS=str(self.calls_file), MPICH_QMPI_BUILD_CACHE=str(folder / "cache"),
                                MPICH_QMPI_BUILD_SOURCE=str(checkout.parent / "mpich-1.0"))

    def run(self, *words, status=0, **variables):
        done = subprocess.run(words, cwd=self.build, env={**self.environment, **variables}, capture_output=True, text=True)
        assert done.returncode == status, done
        return done.stdout + done.stderr

    def configure(self, *words, detect=False, **keywords):
        """Without the libraries whose headers take seconds, unless detect"""
        words = words if detect else ("--without-json", "--without-cli11", *words)
        return self.run(self.checkout / "configure", *words, **keywords)

    def calls(self):
        """Since the last time"""
        calls = self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
        self.calls_file.unlink(missing_ok=True)
        return calls

    def options(self):
        return (self.build / "mpich-build/options").read_text().splitlines()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A checkout after autoreconf -i"""
    checkout = make_checkout(tmp_path_factory.mktemp("top"))
    subprocess.run(["autoreconf", "-i"], cwd=checkout, check=True, capture_output=True)
    return checkout


@pytest.fixture
def project(tmp_path, prepared):
    return Project(tmp_path, prepared)


def test_build_install_and_again(project):
    """In a folder beside the checkout, with DESTDIR"""
    project.configure(f"--prefix={project.folder}/installed")
    assert project.calls() == ["autogen.sh -without-ofi", "configure"]
    tree = project.build / "mpich-src"
    assert (tree / "src/core.c").read_text() == "one\nhook\ntwo\n" and (tree / "src/qmpi/new.c").exists()
    assert [p.name for p in (tree / "confdb").iterdir()] == ["aclocal_qmpi.m4"], "only our macros are part of the overlay"
    project.run("make", "-j2")
    assert project.calls() == ["make"]
    project.run("make")
    project.configure(f"--prefix={project.folder}/installed")
    project.run("make")
    assert project.calls() == []
    installed = project.folder / "stage" / str(project.folder / "installed/bin/mpiexec").lstrip("/")
    project.run("make", "install", f"DESTDIR={project.folder}/stage")
    assert installed.exists()
    project.run("make", "uninstall", f"DESTDIR={project.folder}/stage")
    assert not installed.exists()
    assert "make install comes first" in project.run("make", "installcheck", status=2)
    assert "make install comes first" in project.run("make", "testing", status=2)
    project.run("make", "install")
    assert "tools: null,null\n" in project.run("make", "testing", MPIR_CVAR_QMPI_TOOL_LIST="null,null")
    assert (project.build / "mpich-build/test/mpi/summary.junit.xml").exists()
    project.run("make", "distclean")
    assert list(project.build.iterdir()) == []


def test_check_and_installcheck(project):
    """The tests that need no installation, and all others with the unchanged base, found or built with the same options"""
    prefix, tests = project.folder / "installed", "quickstart test --tests"
    project.configure(f"--prefix={prefix}", "--with-base-prefix=/opt/base", "--enable-g=all,x y", "LDFLAGS=-L/it's")
    project.run("make", "install")
    project.calls()
    project.run("make", "check")
    tree = project.build / "mpich-src"
    assert project.calls() == [f"{tests}=source --src={tree} --out={project.build}/check-out"]
    project.run("make", "installcheck")
    assert project.calls() == [f"{tests}=installation --prefix={prefix} --base-prefix=/opt/base --src={tree} --out={project.build}/installcheck-out"]
    project.configure(f"--prefix={prefix}", "--enable-g=all,x y", "LDFLAGS=-L/it's")
    project.run("make", "installcheck")
    base = next(project.folder.glob("cache/base-*/build-*"))
    assert project.calls() == ["autogen.sh -without-ofi", "configure", "make",
                               f"{tests}=installation --prefix={prefix} --base-prefix={base}/install --src={tree} --out={project.build}/installcheck-out"]
    options = (base / "mpich-build/options").read_text().splitlines()
    assert {f"--prefix={base}/install", "--enable-g=all,x y", "LDFLAGS=-L/it's"} <= set(options) and "qmpi" not in "".join(options).replace(str(base), "")


def test_defaults(project):
    said = project.configure(detect=True)
    options = project.options()
    assert set(options) >= {"--enable-qmpi", "--with-device=ch4:ucx", "--with-ucx=/usr", "--with-hwloc=/usr", "--prefix=/usr/local",
                            "--with-datatype-engine=dataloop", "--enable-fortran=all", "--enable-shared", "--disable-static"}
    assert [o for o in options if o.startswith(("CFLAGS", "CXXFLAGS"))] == [], "autoconf's own choice is not passed on"
    results = dict(re.findall(r"^checking for (json|cli11|ncurses|libdw|otf2)\.\.\. (\w+)$", said, re.M))
    assert {f"--with-{name}={result}" for name, result in results.items()} <= set(options) and len(results) == 5


def test_options_pass_through(project):
    given = ["--with-device=ch3:nemesis", "--without-hwloc", "--disable-fortran", "--enable-g=all,x y", "--with-otf2=no", "CC=clang",
             "LDFLAGS=-Wl,-z,now -L$HOME/it's"]
    project.configure(*given, "--prefix", "/opt/q", "FFLAGS=-O1", CFLAGS="-O3  -g")
    options = project.options()
    assert {*given, "CFLAGS=-O3  -g", "--prefix=/opt/q"} <= set(options)
    assert not {"--with-ucx=/usr", "--with-hwloc=/usr", "--enable-fortran=all"} & set(options)
    assert [o for o in options if o.startswith("FFLAGS=")][-1] in ("FFLAGS=-O1", "FFLAGS=-O1 -fallow-argument-mismatch")
    assert not [o for o in options if "mpich" in o], "our own options are not MPICH's"


@pytest.mark.parametrize("option", ["--with-out", "--enable-otf2", "--disable-gg"])
def test_options_that_mpich_lacks_are_refused(project, option):
    assert f"error: {option}: MPICH has no such option" in project.configure(option, status=1)
    assert project.calls() == ["autogen.sh -without-ofi"]


@pytest.mark.parametrize("words, message", [
    (["nonsense"], "nonsense: not an option"), (["--with-base=2.0"], "no folder patches/2.0"),
    (["--with-mpich-source=/missing"], "no such file"), (["--with-json=maybe"], "expected yes, no or auto"),
    (["--with-thread-package=argobots"], "does not support --with-thread-package=argobots"),
    (["--prefix=/opt/two words"], "MPICH cannot be built in a path with such characters"),
    (["--with-mpich-tree=/opt/a$b"], "MPICH cannot be built in a path with such characters")])
def test_configure_refuses(project, words, message):
    assert message in project.configure(*words, status=1)
    assert project.calls() == []


def test_configure_in_a_path_with_blanks(project):
    project.build = project.folder / "two words"
    project.build.mkdir()
    assert "cannot be built in a path" in project.configure(status=1)


def test_help(project):
    text = project.configure("--help")
    for option in ("mpich-source", "mpich-tree", "base", "first-patches", "base-prefix", "json", "cli11", "ncurses", "libdw", "otf2"):
        assert f"--with-{option}=" in text
    assert "--disable-ccache" in text and "All other options are MPICH's" in text and "--with-device=ch4:ucx" in text


def test_make_dist(project):
    """The archive is a checkout after autoreconf, without what programs left in its folders."""
    project.configure("--with-first-patches=0")
    project.run("make", "dist")
    with tarfile.open(next(project.build.glob("mpich-qmpi-*.tar.xz"))) as archive:
        archive.extractall(project.folder / "unpacked")
    project.checkout = next((project.folder / "unpacked").iterdir())
    assert os.readlink(project.checkout / "patches/default") == "1.0"
    assert (project.checkout / "src/qmpi/new.c").exists() and not (project.checkout / "src/qmpi/new.c~").exists()
    assert not list(project.checkout.rglob("__pycache__"))
    project.build = project.folder / "another"
    project.build.mkdir()
    project.configure()
    assert (project.build / "mpich-src/src/qmpi/new.c").exists()


def test_changed_configure_runs_again(tmp_path):
    """make runs autoconf and configure, and MPICH's configure if its options change."""
    project = Project(tmp_path, make_checkout(tmp_path))
    subprocess.run(["autoreconf", "-i"], cwd=project.checkout, check=True, capture_output=True)
    project.configure("--with-device=ch3")
    project.run("make")
    project.calls()
    source = project.checkout / "configure.ac"
    source.write_text(source.read_text() + "\n")
    project.run("make")
    assert project.calls() == []
    source.write_text(source.read_text().replace("--enable-fortran=all", "--enable-fortran=f77"))
    project.run("make")
    assert project.calls() == ["configure"]
    assert "--enable-fortran=f77" in project.options() and "--with-device=ch3" in project.options()


def test_read_only_checkout(tmp_path):
    """maint/buildtree writes nothing into it, and does nothing again. Somebody also ran configure in this one."""
    checkout = make_checkout(tmp_path)
    (checkout / "config.status").touch()
    before = sorted(checkout.rglob("*"))
    for path in [checkout, *before]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)
    project = Project(tmp_path, checkout)
    said = project.run(checkout / "maint/buildtree")
    assert project.calls() == ["autogen.sh -without-ofi", "configure", "make"]
    prefix = Path(re.search("^prefix=(.*)$", said, re.M).group(1))
    assert (prefix / "bin/mpiexec").exists()
    project.run(checkout / "maint/buildtree")
    assert project.calls() == []
    assert sorted(checkout.rglob("*")) == before
    # only a change of its sources runs autoreconf
    generated = next(project.folder.glob("cache/checkout-*/configure-1.0-*/configure"))
    stamp = generated.stat().st_mtime_ns
    (checkout / "configure.ac").chmod(0o644)
    (checkout / "configure.ac").write_text((checkout / "configure.ac").read_text() + "\n# changed\n")
    project.run(checkout / "maint/buildtree")
    assert generated.stat().st_mtime_ns != stamp and project.calls() == []


def test_unchanged_release(project):
    """Without the patches and the overlay, and without our options"""
    project.run(project.checkout / "maint/buildtree", "--unchanged")
    options = next(project.folder.glob("cache/base-*/build-*/mpich-build/options")).read_text()
    assert project.calls() == ["autogen.sh -without-ofi", "configure", "make"] and "qmpi" not in options and "--with-json" not in options
    assert not list(project.folder.glob("cache/base-*/tree-1.0/src/qmpi"))
