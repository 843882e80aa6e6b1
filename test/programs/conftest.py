# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

import shutil

import pytest


@pytest.fixture(scope="module")
def unpack(mpich_module):
    """Unpacks Debian's packages, without installing them; returns their folder and the variables with which their
    programs run on the MPICH under test."""
    def unpack(*packages):
        root = mpich_module.work / "root"
        if not shutil.which("apt-get") or mpich_module.run("apt-get", "download", *packages, seconds=600).status != 0:
            pytest.skip("apt-get has no " + " ".join(packages))
        for package in mpich_module.work.glob("*.deb"):
            assert mpich_module.run("dpkg", "-x", package, root).status == 0
        lib = next(root.glob("usr/lib/*-linux-gnu*"))
        folders = [mpich_module.debian_names(), lib, lib / "blas", lib / "lapack", mpich_module.lib]
        return root / "usr", {"LD_LIBRARY_PATH": ":".join(map(str, folders))}
    return unpack
