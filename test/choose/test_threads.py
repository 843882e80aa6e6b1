# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Threads that use the interface while the chain is built and while the process exits, under ThreadSanitizer and
helgrind.

For ThreadSanitizer, the objects of the runtime and of the functions that the programs call are compiled again with
-fsanitize=thread and linked with the other objects of the build into a libmpi of their own. ThreadSanitizer knows
atomic operations, so it tests that everything is published before it is used. helgrind does not, but sees locks in
all of the unchanged library.
"""

import os
import re
import shlex
import subprocess
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytestmark = [pytest.mark.hours, pytest.mark.turn(0)]

HERE = Path(__file__).resolve().parent
# Compiled again; beginnings of names of objects.
INSTRUMENTED = ("src/qmpi/", "src/binding/c/init/", "src/binding/c/mpit/",
                "src/binding/c/comm/lib_libmpi_la-comm_rank.", "src/binding/c/misc/lib_libmpi_la-get_version.",
                "src/binding/c/pt2pt/lib_libmpi_la-iprobe.")
MODES = ["first", "first-mpi-t", "leave", "write"]
# UCX replaces mmap and madvise, which the tools replace as well.
SETTINGS = {"UCX_MEM_MMAP_HOOK_MODE": "none"}
FOUND = 66

# Variables of MPICH in which races are MPICH's, with the reason.
MPICH = {
    "MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX": "a thread compares the owner with itself before it takes the lock",
    "ErrorRing": "locked only in MPI_THREAD_MULTIPLE after the initialization",
    "error_ring_mutex": "see ErrorRing",
    "error_ring_loc": "see ErrorRing",
    "max_error_ring_loc": "see ErrorRing",
}


# ---- ThreadSanitizer ----

class Build:
    """The build folder of an installation."""

    def __init__(self, mpich):
        self.folder = mpich.prefix.parent / "mpich-build"
        if not (self.folder / "Makefile").exists():
            pytest.fail(f"this test needs the build folder of the installation: {self.folder} does not exist",
                        pytrace=False)
        names = ["CC", "DEFS", "DEFAULT_INCLUDES", "INCLUDES", "AM_CPPFLAGS", "CPPFLAGS", "AM_CFLAGS", "CFLAGS",
                 "lib_libmpi_la_OBJECTS", "lib_libmpi_la_LIBADD", "srcdir"]
        rule = "qmpi-print: ; @printf '%s\\n' " + " ".join(f"'$({name})'" for name in names)
        # -o: nothing is made again here
        command = ["make", "-s", "--no-print-directory", "-o", "Makefile", "--eval", rule, "qmpi-print"]
        text = subprocess.run(command, cwd=self.folder, check=True, text=True, stdout=subprocess.PIPE).stdout
        values = dict(zip(names, map(shlex.split, text.splitlines())))
        self.compile = [word for name in names[:8] for word in values[name]]
        self.compiler = values["CC"]
        self.objects = [Path(name) for name in values["lib_libmpi_la_OBJECTS"]]
        self.added = values["lib_libmpi_la_LIBADD"]
        self.source = (self.folder / values["srcdir"][0]).resolve()

    def instrument(self, name, out, *options):
        """Compile the source of an object again."""
        source = name.parent / (name.stem.removeprefix("lib_libmpi_la-") + ".c")
        target = out / str(source).replace("/", "-").replace(".c", ".o")
        given = self.source / source
        done = subprocess.run([*self.compile, "-g", "-fsanitize=thread", "-fPIC", "-DPIC", *options, "-c",
                               given if given.exists() else source, "-o", target],
                              cwd=self.folder, check=False, text=True, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr
        return target

    def link(self, replaced, out):
        """libmpi.so.12 with some of its objects replaced."""
        objects = [replaced.get(name) or self.folder / name.parent / ".libs" / f"{name.stem}.o" for name in self.objects]
        libraries = []
        for word in self.added:
            path = self.folder / word
            libraries += ["-Wl,--whole-archive", path.parent / ".libs" / f"{path.stem}.a", "-Wl,--no-whole-archive"] \
                if word.endswith(".la") else [word]
        done = subprocess.run([*self.compiler, "-shared", "-fsanitize=thread", "-Wl,-soname,libmpi.so.12", "-o",
                               out / "libmpi.so.12", *objects, *libraries], check=False, text=True, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def build(mpich_module):
    """The build, whose attribute `replaced` has the instrumented objects."""
    build = Build(mpich_module)
    out = mpich_module.work / "objects"
    out.mkdir()
    names = [name for name in build.objects if str(name).startswith(INSTRUMENTED)]
    assert len(names) > 50, names
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        build.replaced = dict(zip(names, pool.map(lambda name: build.instrument(name, out), names)))
    return build


@pytest.fixture(scope="module")
def sanitized(mpich_module, build, needs):
    """Run the program in a mode, with another libmpi if given. Addresses are not random: older versions of
    ThreadSanitizer do not run with much randomness."""
    needs("setarch")
    mpich = mpich_module
    build.link(build.replaced, mpich.work)
    program = mpich.program(HERE / "threads.c", "-fsanitize=thread", "-pthread")
    tool = mpich.library(HERE / "threads_tool.c", "-fsanitize=thread", "-pthread")
    suppressions = mpich.work / "suppressions"
    suppressions.write_text("".join(f"race:^{name}$\n" for name in MPICH) + "mutex:MPIR_Err_create_code_valist\n")

    def run(mode, library=mpich.work):
        options = f"exitcode={FOUND} report_thread_leaks=0 history_size=7 suppressions={suppressions}"
        return mpich.run("setarch", "-R", program, mode, tool, LD_LIBRARY_PATH=library, TSAN_OPTIONS=options,
                         MPIR_CVAR_QMPI_TOOL_LIST=None if mode == "write" else ",".join([str(tool)] * 4), **SETTINGS)
    return run


@pytest.mark.parametrize("mode", MODES)
def test_thread_sanitizer_finds_no_race(sanitized, mode):
    for _ in range(5):
        result = sanitized(mode)
        assert (result.status, result.out) == (0, "done\n"), result


def test_thread_sanitizer_would_find_what_is_not_published(mpich, build, sanitized):
    """With relaxed stores in place of those that publish the chain."""
    chain = Path("src/qmpi/lib_libmpi_la-qmpi_chain.lo")
    wrong = build.instrument(chain, mpich.work, "-U__ATOMIC_RELEASE", "-D__ATOMIC_RELEASE=__ATOMIC_RELAXED")
    build.link({**build.replaced, chain: wrong}, mpich.work)
    result = sanitized("first", mpich.work)
    assert result.status == FOUND and re.search(r"data race .*(qmpi|threads_tool)", result.err), result


# ---- helgrind ----

# Races that helgrind may report, since it does not know atomic operations: variable, or function that allocates the memory.
VARIABLES = {
    **MPICH,
    "state": "atomic; the phase in which the chain is",
    "MPII_QMPI_settings": "written by the thread that builds the chain, read by others when it is built",
    "MPIR_QMPI_chain": "published by its two counts, which are atomic",
    "MPII_QMPI_instances": "published by num_instances",
    "rows": "published by num_linked",
    "sleepers": "published by num_instances, then protected by gate_lock",
    "mpi_is_initialized": "protected by gate_lock",
    "pcontrol_links": "published by num_linked",
    "MPIR_QMPI_first": "atomic",
    "MPIR_QMPI_gate": "atomic, relaxed: a call that comes late finds an open or a closed gate, as if it had come earlier",
    "MPII_QMPI_gate": "other name of MPIR_QMPI_gate",
    "MPII_QMPI_num_intercepted": "read by MPI_T after the initialization",
    # MPICH's
    "did_err_init": "see ErrorRing",
    "MPIR_ThreadInfo": "see ErrorRing",
    "MPIR_Process": "mpich_state is atomic",
    "MPIR_world_model_state": "atomic",
}
ALLOCATORS = {
    "MPII_QMPI_load_list": "the instances, published with num_instances",
    "MPII_QMPI_allocate_chain": "storage, published with the counts, and the sleepers, protected by gate_lock",
    "MPII_QMPI_link": "rows, published with the counts",
    "MPII_QMPI_allocate": "the same, where the compiler has merged functions",
    "MPII_QMPI_copy": "settings and arguments of instances, as above",
    "MPIR_Register_tool_impl": "the tools, published with the instances",
    "init": "storage of this test's tool, published by MPI_Register_tool_storage",
}
LIBRARIES = ("libucs", "libucp", "libuct", "libucm")


def is_allowed(error):
    """Is an error one of those above, or inside UCX?"""
    stacks = error.findall("stack")
    text = " ".join(element.text or "" for name in ("auxwhat", "text") for element in error.iter(name))
    variable = re.search(r'data symbol "(\w+)"', text)
    if variable:
        return variable.group(1) in VARIABLES
    functions = [[frame.findtext("fn") for frame in stack.findall("frame")] for stack in stacks]
    if error.findtext("kind") != "Race" and "MPIR_Err_create_code_valist" in functions[0]:
        # error_ring_mutex: unlocked by threads that have not locked it, because MPI was initialized meanwhile
        return True
    if error.findtext("kind") != "Race":
        # At exit, other threads hold locks of MPICH.
        return error.findtext("kind") == "Misc" and "still holds" in ElementTree.tostring(error, "unicode")
    if any(library in (frame.findtext("obj") or "") for frame in stacks[0].findall("frame")[:2] for library in LIBRARIES):
        return True
    return "alloc'd" in text and any(function in ALLOCATORS for function in functions[-1])


@pytest.mark.parametrize("mode", MODES)
def test_helgrind_finds_no_misuse_of_locks(mpich, needs, mode):
    needs("valgrind")
    program = mpich.program(HERE / "threads.c", "-pthread")
    tool = mpich.library(HERE / "threads_tool.c", "-pthread")
    result = mpich.run("valgrind", "--tool=helgrind", "--fair-sched=try", "--xml=yes", "--xml-file=found.xml", program, mode,
                       tool, LD_LIBRARY_PATH=mpich.lib, seconds=300, **SETTINGS,
                       MPIR_CVAR_QMPI_TOOL_LIST=None if mode == "write" else ",".join([str(tool)] * 4))
    assert (result.status, result.out) == (0, "done\n"), result
    errors = [error for error in ElementTree.parse(mpich.work / "found.xml").getroot().iter("error")
              if not is_allowed(error)]
    assert not errors, "\n".join(ElementTree.tostring(error, "unicode") for error in errors[:3])
