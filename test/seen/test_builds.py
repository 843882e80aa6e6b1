# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Does a tool get the line of the application's call from libraries that are built in other ways?

One small MPICH is built for each compiler from the patched tree (--src). For each set of options, everything between the
calls of the programs where.* and the tool is compiled again: these functions of MPI, src/qmpi, and the interfaces of
Fortran and C++.
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
                  "src/binding/fortran/mpif_h/*.lo", "src/binding/fortran/use_mpi_f08/wrappers_c/*-f08_cdesc.lo",
                  "src/binding/fortran/use_mpi_f08/wrappers_f/f08ts.lo"]


class Build:
    """A build tree of MPICH. `options` are those that it is compiled with now."""

    def __init__(self, mpich, tree, compiler):
        self.run_command, self.tree, self.options = mpich.run, tree, "-O2"
        self.folder = mpich.work / compiler
        self.folder.mkdir()
        self.compiler = {"CC": compiler, "CXX": CXX[compiler], "FC": "gfortran"}
        ccache = shutil.which("ccache")
        if ccache:
            self.compiler.update({name: f"{ccache} {self.compiler[name]}" for name in ("CC", "CXX")})
        fortran = "-O2 -fallow-argument-mismatch"
        self.run(tree / "configure", f"--prefix={self.folder}/install", "--with-device=ch3:nemesis", "--with-pm=no",
                 "--disable-romio", "--without-hwloc", "--with-datatype-engine=dataloop", "--enable-fortran=all",
                 "--enable-cxx", "--enable-shared", "--enable-static", "--disable-dependency-tracking", "--enable-qmpi",
                 f"FFLAGS={fortran}", f"FCFLAGS={fortran}",
                 *(f"{name}={value}" for name, value in self.compiler.items()))
        self.make_libraries()

    def run(self, *words):
        done = self.run_command(*words, cwd=self.folder, seconds=3600)
        assert done.status == 0, repr(done)
        return done.out

    def make(self, *words):
        return self.run("make", f"-j{os.cpu_count()}", "V=0", f"CFLAGS={self.options}", f"CXXFLAGS={self.options}",
                        f"FFLAGS={self.options} -fallow-argument-mismatch",
                        f"FCFLAGS={self.options} -fallow-argument-mismatch", *words)

    def make_libraries(self):
        """Neither tools nor manual pages nor the test suite."""
        (self.folder / "variables.mk").write_text("include Makefile\nprint-%:\n\t@echo $($*)\n")
        variable = {name: self.run("make", "-s", "-f", "variables.mk", f"print-{name}").split()
                    for name in ("SUBDIRS", "BUILT_SOURCES")}
        for folder in variable["SUBDIRS"]:
            if folder not in (".", "test", "examples"):
                self.make("-C", folder)
        self.make(*variable["BUILT_SOURCES"])
        self.make(*(f"lib/{name}.la" for name in LIBRARIES.values()))

    def compile_again(self, options):
        if options == self.options:
            return
        self.options = options
        for pattern in COMPILED_AGAIN:
            objects = list(self.folder.glob(pattern))
            assert objects, pattern
            for path in objects:
                path.unlink()
        self.make(*(f"lib/{name}.la" for name in LIBRARIES.values()))

    def link(self, language, level, linking, tool):
        """Path of the program in this language."""
        wrapper, source, options, _ = LANGUAGES[language]
        compiler = {"mpicc": "CC", "mpicxx": "CXX", "mpifort": "FC"}[wrapper]
        folder = self.folder / "programs" / re.sub(r"\W", "_", f"{language}{level}{linking}")
        folder.mkdir(parents=True, exist_ok=True)
        library = self.folder / "lib/.libs"
        includes = [f"-I{self.folder / path}" for path in
                    ("src/include", "src/binding/cxx", "src/binding/fortran/use_mpi", "src/binding/fortran/use_mpi_f08")]
        names = dict.fromkeys([LIBRARIES[wrapper], "libmpi"])
        if linking == "static":
            libraries = [library / f"{name}.a" for name in names] + ["-lpthread", "-lrt", "-lm"]
        else:
            libraries = [f"-L{library}", f"-Wl,-rpath,{library}", *(f"-l{name[3:]}" for name in names)]
        self.run(*self.compiler[compiler].split(), "-g", level, *options, *includes, f"-I{self.tree}/src/include",
                 f"-J{folder}" if compiler == "FC" else f"-I{folder}", HERE / source, tool, "-o", folder / "program",
                 *libraries, "-lstdc++", "-ldl")
        return folder / "program"


@pytest.fixture(scope="module")
def build(mpich_module, tree, needs):
    made = {}

    def get(compiler):
        if compiler not in made:
            needs(compiler, CXX[compiler], "gfortran")
            made[compiler] = Build(mpich_module, tree, compiler)
        return made[compiler]

    return get


def wrong_sites(done, expected):
    """What the tool printed is not the lines of the program's calls."""
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
    built = build(compiler)
    built.compile_again(options)
    tool = built.folder / "where_tool.o"
    built.run(*built.compiler["CXX"].split(), "-DMPICH_SKIP_MPICXX", "-std=c++17", "-O2", f"-I{built.folder}/src/include",
              f"-I{built.tree}/src/include", "-c", HERE / "where_tool.cpp", "-o", tool)
    wrong = {}
    for language, (_, _, _, calls) in LANGUAGES.items():
        for level in LEVELS:
            for linking in ("shared", "static"):
                program = built.link(language, level, linking, tool)
                done = mpich_module.run(program, MPIR_CVAR_QMPI_TOOL_LIST="where,where")
                if found := wrong_sites(done, calls):
                    wrong[f"{language} {level} {linking}"] = found
    assert wrong == {}
