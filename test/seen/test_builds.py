# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Does a tool get the line of the application's call from libraries that are compiled in other ways?

In a copy of the build that --prefix is from (by maint/buildtree), everything between the calls of the programs where.*
and the tool is compiled again for each compiler and set of options: these functions of MPI, src/qmpi, and the interfaces
of Fortran and C++.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from seen.test_call_sites import HERE, LANGUAGES, lines_of

pytestmark = pytest.mark.hours

OPTIONS = {
    "gcc": ["-O2", "-O0", "-Og", "-O1", "-O3", "-O2 -fno-omit-frame-pointer", "-O2 -fno-optimize-sibling-calls"],
    "clang": ["-O2", "-O0", "-Og", "-O1", "-O3", "-O2 -fno-omit-frame-pointer"],
}
CXX = {"gcc": "g++", "clang": "clang++"}
LEVELS = ["-O0", "-O2"]         # of the programs
LIBRARIES = {"mpicc": "libmpi", "mpicxx": "libmpicxx", "mpifort": "libmpifort"}
# Objects that are compiled again. The generated Fortran procedures of PMPI and QMPI are not in the way of a call.
COMPILED_AGAIN = ["src/binding/c/coll/*-barrier.lo", "src/binding/c/comm/*-comm_rank.lo", "src/binding/c/pt2pt/*-send.lo",
                  "src/qmpi/*.lo", "src/qmpi/f08/*-f08_entries.lo", "src/binding/cxx/*.lo",
                  "src/binding/fortran/mpif_h/*.lo", "src/binding/fortran/use_mpi_f08/wrappers_f/f08ts.lo"]
# with ISO_Fortran_binding.h of gfortran, which clang does not find
COMPILED_AGAIN_BY_GCC = ["src/binding/fortran/use_mpi_f08/wrappers_c/*-f08_cdesc.lo"]


class Build:
    """A copy of a build tree of MPICH"""

    def __init__(self, installation, tree):
        self.run_command, self.tree = installation.run, tree
        original = installation.prefix.parent / "mpich-build"
        if not (original / "lib/libmpi.la").exists():
            pytest.fail(f"this test needs the build tree {original}, as maint/buildtree makes it", pytrace=False)
        self.folder = installation.work / "build/mpich-build"
        shutil.copytree(original, self.folder, symlinks=True, ignore=shutil.ignore_patterns("test"))
        # dependencies can have the tree's relative name
        (installation.work / tree.name).symlink_to(tree)
        self.objects = {pattern: list(self.folder.glob(pattern)) for pattern in COMPILED_AGAIN + COMPILED_AGAIN_BY_GCC}
        assert all(self.objects.values()), self.objects
        self.header = self.folder / "src/include/mpichconf.h"
        self.header_text, self.header_time = self.header.read_text(), self.header.stat()

    def choose_aliases(self, compiler):
        """As configure does: clang makes aliases of "pragma weak" hidden. The header keeps its time, so that make does
        not compile everything again."""
        text = self.header_text
        if compiler == "clang":
            text = re.sub(r"^#define (HAVE_(MULTIPLE_)?PRAGMA_WEAK) 1$", r"#undef \1", text, flags=re.M)
        self.header.write_text(text)
        os.utime(self.header, ns=(self.header_time.st_atime_ns, self.header_time.st_mtime_ns))

    def run(self, *words):
        # objects in ccache must not depend on the folder's name
        done = self.run_command(*words, cwd=self.folder, seconds=1200, CCACHE_BASEDIR=self.folder, CCACHE_NOHASHDIR=1)
        assert done.status == 0, repr(done)
        return done.out

    def compile_again(self, compiler, options):
        ccache = [path] if (path := shutil.which("ccache")) else []
        self.compiler = {"CC": [*ccache, compiler], "CXX": [*ccache, CXX[compiler]], "FC": ["gfortran"]}
        fortran = f"{options} -fallow-argument-mismatch"
        self.choose_aliases(compiler)
        for pattern, paths in self.objects.items():
            if compiler == "gcc" or pattern in COMPILED_AGAIN:
                for path in paths:
                    path.unlink(missing_ok=True)
        self.run("make", f"-j{os.cpu_count()}", "V=0", *(f"{name}={' '.join(words)}" for name, words in self.compiler.items()),
                 f"CFLAGS={options}", f"CXXFLAGS={options}", f"FFLAGS={fortran}", f"FCFLAGS={fortran}",
                 *(f"lib/{name}.la" for name in LIBRARIES.values()))

    def link(self, language, level, tool):
        """Path of the program in this language."""
        wrapper, source, options, _ = LANGUAGES[language]
        compiler = {"mpicc": "CC", "mpicxx": "CXX", "mpifort": "FC"}[wrapper]
        folder = self.folder / "programs" / re.sub(r"\W", "_", f"{language}{level}")
        folder.mkdir(parents=True, exist_ok=True)
        library = self.folder / "lib/.libs"
        includes = [f"-I{self.folder / path}" for path in
                    ("src/include", "src/binding/cxx", "src/binding/fortran/use_mpi", "src/binding/fortran/use_mpi_f08")]
        names = dict.fromkeys([LIBRARIES[wrapper], "libmpi"])
        self.run(*self.compiler[compiler], "-g", level, *options, *includes, f"-I{self.tree}/src/include",
                 f"-J{folder}" if compiler == "FC" else f"-I{folder}", HERE / source, tool, "-o", folder / "program",
                 f"-L{library}", f"-Wl,-rpath,{library}", *(f"-l{name[3:]}" for name in names), "-lstdc++", "-ldl")
        return folder / "program"


@pytest.fixture(scope="module")
def build(mpich_module, tree, needs):
    needs("gfortran", "clang", "clang++")
    return Build(mpich_module, tree)


def wrong_sites(done, expected):
    """Printed call sites that are not the lines of the program's calls"""
    wrong = []
    sites = []
    for text in done.out.splitlines():
        match = re.fullmatch(r"(\d+) (\w+) (0x[0-9a-f]+) (\S+)", text)
        if match:
            sites.append(match.groups())
        else:
            wrong.append(text)
    lines = lines_of([(name, offset) for _, _, offset, name in sites])
    for line, function, offset, name in sites:
        found = lines.get((name, int(offset, 16)), [])
        if not any(re.search(rf"/where[^/]*:{line}$", text) for text in found):
            wrong.append(f"{function} on line {line}: {offset} of {name} is {', '.join(found)}")
    if done.status != 0 or len(sites) != expected:
        wrong.append(f"{len(sites)} call sites instead of {expected}: {done!r}")
    return wrong


@pytest.mark.parametrize("compiler, options", [(compiler, options) for compiler in OPTIONS for options in OPTIONS[compiler]])
def test_call_sites_with_other_options(mpich_module, build, compiler, options):
    build.compile_again(compiler, options)
    tool = build.folder / "where_tool.o"
    build.run(*build.compiler["CXX"], "-DMPICH_SKIP_MPICXX", "-std=c++17", "-O2", f"-I{build.folder}/src/include",
              f"-I{build.tree}/src/include", "-c", HERE / "where_tool.cpp", "-o", tool)
    wrong = {}
    for language, (_, _, _, calls) in LANGUAGES.items():
        for level in LEVELS:
            program = build.link(language, level, tool)
            done = mpich_module.run(program, MPIR_CVAR_QMPI_TOOL_LIST="where,where")
            if found := wrong_sites(done, calls):
                wrong[f"{language} {level}"] = found
    assert wrong == {}
