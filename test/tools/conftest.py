# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""A browser, small file systems, and real programs: Debian's binaries, and a program with Debian's HDF5."""

import shutil
from pathlib import Path

import pytest

import browser

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def chromium():
    if not browser.find():
        pytest.fail("this test needs Chromium (package chromium)", pytrace=False)
    with browser.Browser() as page:
        yield page


def hdf5_folder():
    """Libraries of Debian's HDF5 for MPICH."""
    return next(iter(sorted(Path("/usr/lib").glob("*/hdf5/mpich"))), None)


@pytest.fixture(scope="session")
def real_program():
    """(ranks, command, variables) of "netpipe" or "hdf5", as Debian has linked them with its MPICH."""
    def real_program(mpich, name, source="hdf5.c", netpipe=("-u", "64", "-n", "20", "-o", "netpipe.out")):
        old = mpich.debian_names()
        if name == "netpipe":
            command = shutil.which("NPmpich2")
            if not command:
                pytest.fail("this test needs NetPIPE (package netpipe-mpich2)", pytrace=False)
            return 2, [command, *netpipe], {"LD_LIBRARY_PATH": f"{old}:{mpich.lib}"}
        folder = hdf5_folder()
        if not folder or not Path("/usr/include/hdf5/mpich/hdf5.h").exists():
            pytest.fail("this test needs HDF5 for MPICH (package libhdf5-mpich-dev)", pytrace=False)
        program = mpich.program(HERE / source, "-I/usr/include/hdf5/mpich", f"-L{folder}", "-lhdf5",
                                f"-Wl,-rpath-link,{old}")
        return 4, [program], {"LD_LIBRARY_PATH": f"{old}:{mpich.lib}:{folder}"}
    return real_program


@pytest.fixture
def small_disk(mpich):
    """Mount a file system of a size such as "400k" at the folder small."""
    folder = mpich.work / "small"

    def small_disk(size):
        folder.mkdir()
        if mpich.run("mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder).status != 0:
            pytest.skip("this user cannot mount a file system")
        return folder

    yield small_disk
    if folder.is_mount():
        mpich.run("umount", folder)
