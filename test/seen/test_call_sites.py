# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Does a tool get the line of the application's call, in every language?

The programs where.* announce the line of each call to the tool of where_tool.cpp, which prints the call site beside it;
addr2line must give that line.
"""

import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
LEVELS = ["-O0", "-Og", "-O1", "-O2", "-O3", "-O2 -fno-omit-frame-pointer"]
# A long chain: the frame of the call is deep in the stack.
TOOLS = {"2 tools": 2, "101 tools": 101}
# language: compiler, source, options, number of calls
LANGUAGES = {
    "C": ("mpicc", "where.c", [], 5),
    "C++": ("mpicxx", "where_cxx.cxx", [], 4),
    "mpif.h": ("mpifort", "where.F90", ["-DMPIF_H"], 31),
    "use mpi": ("mpifort", "where.F90", ["-DUSE_MPI"], 31),
    "use mpi_f08": ("mpifort", "where.F90", ["-DUSE_MPI_F08"], 31),
}


def pytest_generate_tests(metafunc):
    """Static linking is tested if the installation has static libraries."""
    if "linking" in metafunc.fixturenames:
        prefix = metafunc.config.option.prefix
        has_static = prefix and (prefix / "lib/libmpi.a").exists()
        metafunc.parametrize("linking", ["shared", "static"] if has_static else ["shared"])


@pytest.fixture(scope="module")
def tool(mpich_module):
    path = mpich_module.work / "where_tool.o"
    done = mpich_module.run(mpich_module.bin / "mpicxx", "-DMPICH_SKIP_MPICXX", "-std=c++17", "-O2", "-fno-lto", "-c",
                            HERE / "where_tool.cpp", "-o", path)
    assert done.status == 0, repr(done)
    return path


def static_linking(mpich):
    """Options and libraries to link MPICH's libraries statically, and only these: libgcc_s has no static form."""
    folder = mpich.work / "static"
    if not folder.exists():
        folder.mkdir()
        for library in (mpich.prefix / "lib").glob("*.a"):
            (folder / library.name).symlink_to(library)
    needed = re.search(r"^dependency_libs='(.*)'", (mpich.prefix / "lib/libmpi.la").read_text(), re.M)
    return [f"-L{folder}"], ["-lmpi", *needed[1].split()]


@pytest.fixture(scope="module")
def program(mpich_module, tool):
    """Compiles a program once for all lengths of the chain."""
    made = {}

    def compile(language, level, linking):
        key = language, level, linking
        if key not in made:
            compiler, source, options, _ = LANGUAGES[language]
            folder = mpich_module.work / re.sub(r"\W", "_", "-".join(key))
            folder.mkdir()
            modules = [f"-J{folder}"] if compiler == "mpifort" else []
            static, libraries = static_linking(mpich_module) if linking == "static" else ([], [])
            made[key] = mpich_module.run(mpich_module.bin / compiler, "-g", "-fno-lto", *level.split(), *static, *options,
                                         *modules, HERE / source, tool, "-o", folder / "program", "-lstdc++", "-ldl", *libraries)
            made[key].path = folder / "program"
        assert made[key].status == 0, repr(made[key])
        return made[key].path

    return compile


def lines_of(sites):
    """{(object, offset): source lines that addr2line gives}; several where functions were inlined."""
    found = {}
    for name in {name for name, _ in sites}:
        offsets = sorted({offset for other, offset in sites if other == name})
        said = subprocess.run(["addr2line", "-a", "-i", "-e", name, *offsets], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout
        for part in re.split(r"^0x", said, flags=re.M)[1:]:
            address, *lines = part.splitlines()
            found[name, int(address, 16)] = [line.partition(" (discriminator")[0] for line in lines]
    return found


@pytest.mark.parametrize("length", TOOLS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_call_site_is_the_line_of_the_call(mpich, program, language, level, linking, length):
    done = mpich.run(program(language, level, linking), MPIR_CVAR_QMPI_TOOL_LIST=",".join(["where"] * TOOLS[length]))
    assert done.status == 0, repr(done)
    wrong, sites = [], []
    for text in done.out.splitlines():
        match = re.fullmatch(r"(\d+) (\w+) (0x[0-9a-f]+) (/.*)", text)
        if match:
            sites.append((int(match[1]), match[2], match[4], match[3]))
        else:
            wrong.append(text)
    lines = lines_of([site[2:] for site in sites])
    for line, function, name, offset in sites:
        found = lines.get((name, int(offset, 16)), [])
        if not any(re.search(rf"/where[^/]*:{line}$", text) for text in found):
            wrong.append(f"{function} on line {line}: {offset} of {name} is {', '.join(found)}")
    assert wrong == []
    assert len(sites) == LANGUAGES[language][3], repr(done)


# Opens the program's own file to read its symbols: libmpicxx calls this open.
MANY_SITES = """
#include <mpi.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cstdio>

static int opened;

extern "C" int open(const char *path, int flags, ...)
{
    opened++;
    return syscall(SYS_openat, AT_FDCWD, path, flags);
}

static int rank_of(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    void *address, (*next)() = nullptr;
    int next_id;
    MPI_Get_calling_address(context, &address);
    MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &next, &next_id);
    return reinterpret_cast<MPI_Comm_rank_t *>(next)(context, next_id, comm, rank);
}

static void init(int tool_id)
{
    MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, reinterpret_cast<void (*)()>(rank_of));
}

__attribute__((constructor)) static void load()
{
    MPI_Register_tool_name("asks", init);
}

static void call()
{
CALLS}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int first = -opened;
    call();
    first += opened;
    int second = -opened;
    call();
    second += opened;
    std::printf("%d %d\\n", first, second);
    MPI::Finalize();
}
""".replace("CALLS", "    MPI::COMM_SELF.Get_rank();\n" * 3000)


def test_call_site_in_cxx_is_looked_up_once(mpich):
    program = mpich.program(MANY_SITES, name="sites.cxx")
    done = mpich.run(program, MPIR_CVAR_QMPI_TOOL_LIST="asks")
    first, second = map(int, done.out.split())
    assert first > 0 and second == 0, done
