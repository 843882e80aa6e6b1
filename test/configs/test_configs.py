# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Other configurations of the library: each is built in the cache, passes our directories of MPICH's test suite, and tells
tools the right call sites. Without Fortran and MPI-IO, and with a device that needs no other library, to build them quickly.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMON = ["--with-device=ch3:nemesis", "--disable-fortran", "--disable-romio"]
CONFIGURATIONS = {
    # libmpi needs libpmpi then, and Debian's linker takes a library's needs for a program's only when told to
    "no weak symbols": ["--disable-weak-symbols", "LDFLAGS=-Wl,--copy-dt-needed-entries"],
    "without QMPI": ["--disable-qmpi"],
    "debugging, -O0": ["--enable-g=all", "--enable-fast=none", "CFLAGS=-O0", "CXXFLAGS=-O0"],
    "static, -Og": ["--enable-static", "--enable-fast=none", "CFLAGS=-Og", "CXXFLAGS=-Og"],
    "clang, -O1": ["CC=clang", "CXX=clang++", "--enable-fast=O1"],
    "frame pointers, -O3": ["--enable-fast=O3", "CFLAGS=-fno-omit-frame-pointer"],
}
pytestmark = pytest.mark.long


@pytest.fixture(scope="module", params=CONFIGURATIONS, ids=lambda name: name.replace(",", "").replace(" ", "_"))
def built(request):
    """Name, prefix and source tree of a configuration"""
    done = subprocess.run([ROOT / "maint/buildtree", *COMMON, *CONFIGURATIONS[request.param]], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        pytest.fail(f"maint/buildtree failed with status {done.returncode}", pytrace=False)
    answer = dict(line.split("=", 1) for line in done.stdout.splitlines())
    return request.param, answer["prefix"], answer["tree"]


def check(*words, cwd):
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        pytest.fail(done.stdout[-6000:], pytrace=False)


def pytest_on(built, work, *words):
    _, prefix, tree = built
    check(sys.executable, "-m", "pytest", "-q", f"--prefix={prefix}", f"--src={tree}", *words, cwd=ROOT)


def test_suite(built, work):
    _, prefix, tree = built
    check(ROOT / "test/suite/run-small", prefix, "--src", tree, "--out", work / "small", cwd=work)


def test_call_sites(built, work):
    if built[0] != "without QMPI":
        pytest_on(built, work, "test/seen/test_call_sites.py", "-k", "not mpif and not use")


def test_choosing_tools(built, work):
    """MPI_Comm_spawn works with this device."""
    if built[0].startswith("debugging"):
        pytest_on(built, work, "test/choose")
