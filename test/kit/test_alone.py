# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The tools alone: src/tools has a configure of its own, for an installed MPICH with QMPI."""

import os
import shutil
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.long
FAST = {"PATH": f"/usr/lib/ccache:{os.environ['PATH']}"}


@pytest.fixture(scope="module")
def sources(work_module, local_module, needs):
    """A copy of src/tools after autoreconf"""
    needs("autoreconf", "libtoolize", "pkg-config")
    folder = work_module / "tools"
    shutil.copytree(ROOT / "src/tools", folder, ignore=shutil.ignore_patterns("configure", "autom4te.cache", "*~"))
    result = local_module.run("autoreconf", "-i", cwd=folder, seconds=300)
    assert result.status == 0, result
    return folder


@pytest.fixture(scope="module")
def build(sources, mpich_module):
    """A build folder; the prefix is another one than MPICH's."""
    folder = mpich_module.work / "build"
    folder.mkdir()
    result = mpich_module.run(sources / "configure", f"--with-mpich={mpich_module.prefix}",
                              f"--prefix={mpich_module.work / 'alone'}", cwd=folder, seconds=300, **FAST)
    assert result.status == 0, result
    return folder


def test_mpich_without_qmpi_is_refused(sources, base, work):
    result = base.run(sources / "configure", f"--with-mpich={base.prefix}", cwd=work, seconds=300)
    assert result.status != 0 and f"the MPICH in {base.prefix} has no QMPI" in result.err, result


def test_folder_without_mpich_is_refused(sources, local, work):
    result = local.run(sources / "configure", f"--with-mpich={work}", cwd=work, seconds=300)
    assert result.status != 0 and f"{work} is no prefix of an MPICH" in result.err, result


def test_tool_runs_from_its_own_prefix(build, mpich_module):
    """One of the small tools; the others have the same rules."""
    made = mpich_module.run("make", "-j2", "libqmpi_bcast.la", "qmpi.pc", cwd=build, seconds=900, **FAST)
    assert made.status == 0, made
    program = mpich_module.program(ROOT / "examples/qmpi/halo.c", "-lm")
    result = mpich_module.mpiexec(2, program, tools="bcast", MPIR_CVAR_QMPI_TOOL_PATH=build / ".libs",
                                  MPIR_CVAR_QMPI_VERBOSE="1")
    assert result.status == 0 and f"{build}/.libs/libqmpi_bcast.so" in result.err, result


def test_archive_has_every_source(build, sources, local_module):
    (sources / "common/page.cpp").touch()       # later than the folder common/page
    result = local_module.run("make", "dist", cwd=build, seconds=300)
    assert result.status == 0, result
    [archive] = build.glob("qmpi-tools-*.tar.xz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    own = {str(path.relative_to(ROOT / "src/tools")) for path in (ROOT / "src/tools").rglob("*")
           if path.is_file() and path.suffix in (".cpp", ".hpp", ".am", ".ac", ".mk", ".m4", ".mjs", ".css", ".7", ".1", ".in")}
    generated = {name for name in own if name.startswith("m4/") or name.endswith("Makefile.in")}
    assert sorted(own - generated - {"subconfigure.m4"} - names) == [] and {"configure", "m4/aclocal_qmpi.m4"} <= names


@pytest.mark.hours
@pytest.mark.turn(1)
def test_everything_is_built_and_installed(build, mpich_module):
    """The same files as in MPICH's tree, below another prefix"""
    made = mpich_module.run("make", "-j2", "install", cwd=build, seconds=1800, **FAST)
    assert made.status == 0, made

    def files(prefix):
        return {str(path.relative_to(prefix)) for path in Path(prefix).rglob("*") if "qmpi" in path.name}
    ours, theirs = files(mpich_module.work / "alone"), files(mpich_module.prefix)
    core = {name for name in theirs if name.startswith(("include/mpi_qmpi", "include/qmpi_functions"))
            or name.endswith(".mod") or name.startswith("bin/") and "qmpi_" not in name}
    assert sorted(theirs - core - ours) == [] and ours <= theirs
