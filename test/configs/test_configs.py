# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Other configurations of the library: each is built in the cache, passes our directories of MPICH's test suite, and tells
tools the right call sites. Without Fortran and MPI-IO, and with a device that needs no other library, to build them quickly.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMON = ["--with-device=ch3:nemesis", "--disable-fortran", "--disable-romio"]
# The tools with reports take longer to compile than the library.
SMALL = [*COMMON, "--without-json"]
CONFIGURATIONS = {
    # libmpi needs libpmpi then, and Debian's linker takes a library's needs for a program's only when told to
    "no weak symbols": [*SMALL, "--disable-weak-symbols", "LDFLAGS=-Wl,--copy-dt-needed-entries"],
    "without QMPI": [*SMALL, "--disable-qmpi"],
    "debugging, -O0": [*SMALL, "--enable-g=all", "--enable-fast=none", "CFLAGS=-O0", "CXXFLAGS=-O0"],
    "link-time optimization": [*SMALL, "AR=gcc-ar", "NM=gcc-nm", "RANLIB=gcc-ranlib", "CFLAGS=-O2 -flto=auto",
                               "CXXFLAGS=-O2 -flto=auto"],
    "static, -Og": [*SMALL, "--enable-static", "--enable-fast=none", "CFLAGS=-Og", "CXXFLAGS=-Og"],
}
# A C program needs the C++ library from its start, for exceptions of tools that are loaded later.
CXX_LIBRARY = "-Wl,--push-state,--no-as-needed -lstdc++ -Wl,--pop-state"
SANITIZERS = {
    # with its warning about fences, MPICH's configure finds no atomic operations that the sanitizer knows
    "TSAN": ["-fsanitize=thread -Wno-tsan", "history_size=4"],
    "ASAN": ["-fsanitize=address,undefined -fno-sanitize=vptr", "allocator_may_return_null=1:verify_asan_link_order=0"],
}
# Tests of the tools that need neither Fortran nor MPI-IO, mostly
SANITIZED = ["kit/test_kit.py", "choose", "check/test_check.py", "check/test_suppressions.py", "messages/test_messages.py", "profile",
             "trace"] + [f"reports/test_{name}.py" for name in ("damage", "ends", "live", "records", "worlds")]
# Prints the seconds of MPI_Init.
INIT = """
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    MPI_Init(&argc, &argv);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%f\\n", end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) * 1e-9);
    return MPI_Finalize();
}
"""
pytestmark = pytest.mark.hours


def build(*options):
    """Prefix and source tree of a configuration"""
    done = subprocess.run([ROOT / "maint/buildtree", *options], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        pytest.fail(f"maint/buildtree failed with status {done.returncode}", pytrace=False)
    answer = dict(line.split("=", 1) for line in done.stdout.splitlines())
    return Path(answer["prefix"]), Path(answer["tree"])


@pytest.fixture(scope="module")
def built(request):
    """Prefix and source tree of one of the CONFIGURATIONS"""
    return build(*CONFIGURATIONS[request.param])


def configurations(*names):
    """One build in each turn"""
    turns = {name: turn for turn, name in enumerate(CONFIGURATIONS)}
    return pytest.mark.parametrize("built", [pytest.param(name, id=re.sub("[, ]+", "_", name), marks=pytest.mark.turn(turns[name]))
                                             for name in names], indirect=True)


def check(*words, cwd):
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        pytest.fail(done.stdout[-6000:], pytrace=False)


def pytest_command(built, *words):
    prefix, tree = built
    return [sys.executable, "-m", "pytest", "-q", f"--prefix={prefix}", f"--src={tree}", *words]


def pytest_on(built, *words):
    check(*pytest_command(built, *words), cwd=ROOT)


@configurations(*CONFIGURATIONS)
def test_suite(built, work):
    prefix, tree = built
    check(ROOT / "test/suite/run-small", prefix, "--src", tree, "--out", work / "small", cwd=work)


@configurations(*(name for name in CONFIGURATIONS if name != "without QMPI"))
def test_call_sites(built):
    pytest_on(built, "test/seen/test_call_sites.py", "-k", "not mpif and not use")


@configurations("debugging, -O0")
def test_choosing_tools(built):
    """MPI_Comm_spawn works with this device. qmpi_info needs a library that the tools with reports need, too."""
    pytest_on(built, "test/choose", "--ignore=test/choose/test_info.py")


@pytest.mark.turn(6)
def test_tools_where_processes_can_be_spawned():
    """ch4:ucx cannot, on most machines."""
    built = build(*COMMON)
    options = ("-n", str(os.cpu_count()), "--hours")
    pytest_on(built, *options, "test/hosts", "test/reports/test_worlds.py")
    pytest_on(built, *options, "test/check/test_suite.py", "-k", "spawn/")


@pytest.mark.nightly
@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_no_sanitizer_finds_a_fault_of_ours(sanitizer, work):
    """MPICH has races of its own, and on this library some tests fail that are about memory or time: what a report
    says of the access itself counts, and that most tests passed."""
    flags, options = SANITIZERS[sanitizer]
    # -g1: with -g a compiler takes 10 minutes and 5 GB for check
    sanitized = build(*COMMON, f"CFLAGS={flags} -g1 -O1", f"CXXFLAGS={flags} -g1 -O1", f"WRAPPER_CFLAGS={flags} {CXX_LIBRARY}",
                      f"WRAPPER_CXXFLAGS={flags}")
    environment = {**os.environ, f"{sanitizer}_OPTIONS": f"log_path={work}/report:exitcode=0:{options}",
                   "UBSAN_OPTIONS": f"log_path={work}/report:print_stacktrace=1"}
    done = subprocess.run(pytest_command(sanitized, "-n", str(os.cpu_count()), "-k", "not valgrind",
                                         *(f"test/{name}" for name in SANITIZED)),
                          cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) > 300, done.stdout[-2000:]
    reports = [text for path in work.glob("report.*") for text in re.split("={10,}\n", path.read_text(errors="replace"))]
    assert [text for text in reports if any(map(is_ours, stacks(text)))] == []


def stacks(report):
    """Frames of the accesses of a report, not those of what created a thread, a lock or the memory"""
    for heading, stack in re.findall(r"^(.*)\n((?: *#\d+ .*\n)+)", report, re.M):
        if not re.match(r" *(Thread T|Mutex M|Location is|As if|(previously )?allocated|freed)", heading):
            yield stack.splitlines()


def is_ours(frames):
    """The first frame outside of the sanitizer and of system libraries is in a tool, the kit or the runtime."""
    own = [frame for frame in frames if not re.search(r"libsanitizer|\(lib(stdc\+\+|c|gcc_s)\.so|/usr/include/c\+\+", frame)]
    return bool(own) and re.search(r"src/(tools|qmpi)/|src/include/(mpir_)?qmpi|\(libqmpi_", own[0]) is not None


@pytest.mark.turn(5)
def test_call_sites_on_aarch64(work, needs):
    """Cross-compiled, run by qemu"""
    needs("aarch64-linux-gnu-g++", "aarch64-linux-gnu-addr2line", "qemu-aarch64")
    prefix, _ = build(*SMALL, "--host=aarch64-linux-gnu", "--without-hwloc")
    seen = ROOT / "test/seen"
    check(prefix / "bin/mpicxx", "-DMPICH_SKIP_MPICXX", "-std=c++17", "-O2", "-c", seen / "where_tool.cpp", cwd=work)
    for compiler, source in (("mpicc", "where.c"), ("mpicxx", "where_cxx.cxx")):
        for level in ("-O0", "-O1", "-O2"):
            check(prefix / "bin" / compiler, "-g", level, seen / source, "where_tool.o", "-o", "program", "-lstdc++", "-ldl", cwd=work)
            # qemu would split the value of its option -E at commas
            done = subprocess.run(["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", work / "program"], capture_output=True, text=True,
                                  timeout=120, env={**os.environ, "MPIR_CVAR_QMPI_TOOL_LIST": "where,where"})
            sites = [re.fullmatch(r"(\d+) (\w+) (0x[0-9a-f]+) (/.*)", text) for text in done.stdout.splitlines()]
            assert len(sites) == 4 and all(sites), done
            for line, function, offset, name in (site.groups() for site in sites):
                lines = subprocess.run(["aarch64-linux-gnu-addr2line", "-i", "-e", name, offset], capture_output=True, text=True)
                assert re.search(rf"/where[^/]*:{line}\b", lines.stdout), (function, line, level, lines)


@pytest.mark.turn(5)
def test_nobody_waits_for_processes_without_tools_under_pmix(work, unpack_packages):
    """PMIx_Get waits for keys that no process has put; here the server is that of Debian's Open MPI, with its limit of
    2 seconds for each."""
    openmpi = unpack_packages(work, "libopenmpi3", "openmpi-bin", "openmpi-common") / "usr"
    pmix = next(Path("/usr/lib").glob("*/pmix2/include/pmix.h")).parents[1]
    prefix, _ = build(*SMALL, "--with-device=ch4:ucx", f"--with-pmix={pmix}")
    (work / "init.c").write_text(INIT)
    check(prefix / "bin/mpicc", "init.c", "-o", "init", cwd=work)

    def longest(*words):
        environment = {**os.environ, "OPAL_PREFIX": openmpi,
                       "LD_LIBRARY_PATH": next(openmpi.glob("lib/*-linux-gnu"))}
        done = subprocess.run([openmpi / "bin/orterun", "--allow-run-as-root", "--oversubscribe", *words], cwd=work,
                              env=environment, capture_output=True, text=True, timeout=120)
        seconds = [float(line) for line in done.stdout.splitlines()]
        assert (done.returncode, len(seconds)) == (0, 4), done
        return max(seconds), done.stderr

    plain, _ = longest("-n", "4", "./init")
    mixed, report = longest("-n", "1", "-x", "MPIR_CVAR_QMPI_TOOL_LIST=count", "./init", ":", "-n", "3", "./init")
    assert "not in the report: ranks 1-3 (no tools)" in report
    assert mixed < 5 * plain
