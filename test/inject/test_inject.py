# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Each call of the C library that the runtime or a tool makes fails in turn (see inject.cpp). A job then has its right
result, and its report or a message; or it ends with a message. No process ends by a signal or waits for ever."""

import errno
import re
import signal
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TIME_OUT = 124
RANKS = 2

PROGRAM = """
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, sum = 0, from = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Finalize();
    if (sum == size * (size - 1) / 2 && from == (rank + size - 1) % size)
        puts("right");
    return 0;
}
"""

# functions that cannot fail for lack of memory, but for other reasons
ERRORS = {"open": errno.EMFILE, "fopen": errno.EMFILE, "read": errno.EIO, "pread": errno.EIO, "readlink": errno.EACCES,
          "realpath": errno.EACCES, "stat": errno.EACCES, "fstat": errno.EIO, "opendir": errno.EMFILE,
          "unlink": errno.EACCES, "rename": errno.EACCES, "write": errno.ENOSPC, "pwrite": errno.ENOSPC,
          "posix_fallocate": errno.ENOSPC, "ftruncate": errno.ENOSPC, "socket": errno.EMFILE, "accept4": errno.EMFILE,
          "epoll_create1": errno.EMFILE, "eventfd": errno.EMFILE, "bind": errno.EADDRINUSE, "listen": errno.EADDRINUSE,
          "connect": errno.ECONNREFUSED, "send": errno.EPIPE, "recv": errno.ECONNRESET}


@pytest.fixture(scope="module")
def program(mpich_module):
    return mpich_module.program(PROGRAM, name="right.c")


@pytest.fixture
def inject(mpich, program, local):
    library = local.library(HERE / "inject.cpp", "-std=c++17", "-ldl")

    def inject(tools, wanted, *, ranks=1, **variables):
        """Run the program under a tool list; `wanted` is what INJECT has, for the last process."""
        for left in mpich.work.glob("r*"):
            mpich.run("rm", "-rf", left)
        # UCX replaces mmap otherwise.
        keywords = {"INJECT": wanted, "UCX_MEM_EVENTS": "no", "UCX_MEM_MMAP_HOOK_MODE": "none", "seconds": 60,
                    "may_time_out": True, "LD_PRELOAD": library, **variables}
        if ranks == 1:
            return mpich.run(program, MPIR_CVAR_QMPI_TOOL_LIST=tools, **keywords)
        return mpich.mpiexec(ranks, program, tools=tools, INJECT_RANK=ranks - 1, **keywords)
    return inject


@pytest.fixture
def calls(mpich, inject):
    """The calls that can fail: how many there are of each function."""
    def calls(tools, **keywords):
        log = mpich.work / "calls"
        log.unlink(missing_ok=True)
        result = inject(tools, "none:0:0", INJECT_LOG=log, **keywords)
        assert result.status == 0 and "right" in result.out, result
        return Counter(line.split()[0] for line in log.read_text().splitlines())
    return calls


@pytest.fixture(scope="module")
def runtime(mpich_module):
    """Addresses in libmpi of the functions of src/qmpi"""
    sources = {path.name: path.read_text() for path in (HERE.parents[1] / "src/qmpi").glob("*.c")}
    names = {name for text in sources.values() for name in re.findall(r"^(?:[\w*]+ )*\*?(MPI[IR]_QMPI_\w+)\(", text, re.M)}
    source, ranges = None, []
    shown = mpich_module.run("readelf", "-sW", mpich_module.lib / "libmpi.so").out.partition("'.symtab'")[2]
    for line in shown.splitlines():
        words = line.split()
        if len(words) == 8 and words[3] == "FILE":
            source = words[7]
        elif len(words) == 8 and words[3] == "FUNC" and (source in sources or words[7].partition(".")[0] in names):
            ranges.append(f"{words[1]} {int(words[2], 0):x}\n")
    assert 50 < len(ranges) < 1000, len(ranges)
    path = mpich_module.work / "ranges"
    path.write_text("".join(ranges))
    return path


def fault(result, ranks, has_report):
    """The fault of the end of a job, or nothing"""
    said = re.search(r"^(MPICH: |QMPI )", result.err, re.M)
    if result.status == TIME_OUT:
        return "waits"
    # Hydra's mpiexec itself ends by SIGPIPE if it writes to a proxy that has just ended.
    if result.status >= 128 and result.status != 128 + signal.SIGPIPE:
        return "ends by a signal"
    if result.status != 0:
        return None if said else "ends without a message"
    if result.out.count("right") != ranks:
        return "wrong result"
    return None if has_report or said else "no report and no message"


def try_each(mpich, inject, found, tools, ranks, report="r.json", **variables):
    """Let each call fail."""
    seen = []
    for function, number in sorted(found.items()):
        for i in range(1, number + 1):
            wanted = f"{function}:{i}:{ERRORS.get(function, errno.ENOMEM)}"
            result = inject(tools, wanted, ranks=ranks, **variables)
            if what := fault(result, ranks, (mpich.work / report).exists()):
                seen.append(f"{wanted}: {what}\n{result!r}")
    assert not seen, f"{len(seen)} of {sum(found.values())}:\n" + "\n".join(seen)


@pytest.mark.parametrize("ranks", [1, RANKS])
def test_each_call_of_the_runtime(mpich, inject, calls, runtime, ranks):
    variables = {"INJECT_OBJECT": "libmpi.so", "INJECT_RANGES": runtime}
    tools = "profile(out=r),null"
    found = calls(tools, ranks=ranks, **variables)
    assert found["calloc"] > 10 and found["open"] > 0 and found["dlopen"] > 0, found
    try_each(mpich, inject, found, tools, ranks, **variables)


@pytest.mark.long
@pytest.mark.parametrize("ranks", [1, RANKS])
@pytest.mark.parametrize("tool, report", [("profile", "r.json"), ("messages", "r.json"), ("count", "r.txt"),
                                          ("check", "r.json"), ("trace", "r.otf2")])
def test_each_call_of_a_tool(mpich, inject, calls, tool, report, ranks):
    """Except for memory: the functions that the tools call need it too."""
    tools = f"{tool}(out=r)"
    found = calls(tools, ranks=ranks, INJECT_OBJECT=f"libqmpi_{tool}")
    del found["new"], found["malloc"], found["calloc"]
    assert found["open"] > 0, found
    try_each(mpich, inject, found, tools, ranks, report, INJECT_OBJECT=f"libqmpi_{tool}")
