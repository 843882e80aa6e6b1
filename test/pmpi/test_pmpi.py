# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Unmodified PMPI tools as members of the chain: order of calls, own data, call sites, refusals."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from faults import assert_refused, faults, write_broken

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EZTRACE = Path("/usr/lib/x86_64-linux-gnu" if os.uname().machine == "x86_64" else f"/usr/lib/{os.uname().machine}-linux-gnu")


def member(path):
    """The list's entry for a PMPI tool."""
    return f"pmpi={path}"


def chain(*entries):
    """A list: names of native tools as they are, libraries as members."""
    return ",".join(member(entry) if ".so" in entry else entry for entry in entries)


@pytest.fixture(scope="module")
def pmpi(mpich_module):
    """The installation; its folder has the program, the native tool "n" and the PMPI tools."""
    mpich, work = mpich_module, mpich_module.work
    shutil.copy(mpich.program(HERE / "program.c", "-pthread", "-rdynamic", "-ldl"), work)
    shutil.copy(mpich.program(HERE / "barriers.c", "-rdynamic"), work)
    libraries = {"libnative.so": ("native.c", "-ldl"), "libcounter.so": ("counter.c",), "libhabits.so": ("habits.cpp", "-ldl"),
                 "liborder_a.so": ("order.c", '-DLETTER="A"'), "liborder_b.so": ("order.c", '-DLETTER="B"'),
                 "libalias.so": ("alias.c", "-ldl"), "libown.so": ("own.cpp", "-std=c++17"), "libmaps.so": ("maps.c", "-ldl"),
                 "libspy.so": ("spy.c",), "libhost.so": ("host.c", "-ldl"), "libplugin.so": ("host.c", "-DPLUGIN")}
    for name, (source, *options) in libraries.items():
        shutil.copy(mpich.library(HERE / source, "-pthread", *options), work / name)
    return mpich


@pytest.fixture(scope="module")
def run(pmpi):
    """Run the program under a list; the native tool is loaded."""
    def run(tools, *words, **keywords):
        keywords.setdefault("LD_PRELOAD", "./libnative.so")
        words = words if words and "/" in str(words[0]) else ("./program", *words)
        return pmpi.run(*words, MPIR_CVAR_QMPI_TOOL_LIST=tools, **keywords)
    return run


def record(result, function):
    """Notes of the tools on the calls of a function"""
    return "\n".join(re.findall(rf"^{function}: (.*)$", result.out, re.M))


def tables(result):
    """(bcast, send, recv, rank) of each table of libcounter.so."""
    return [tuple(map(int, numbers)) for numbers in
            re.findall(r"^counter: bcast (\d+) send (\d+) recv (\d+) rank (\d+)$", result.err, re.M)]


# ---- own data ----

def test_same_tool_twice_around_bcast_has_two_tables(pmpi):
    """The broadcast becomes a message below bcast. Both processes ask for the rank once; bcast asks once more in each,
    and counter once when it shows its table."""
    result = pmpi.mpiexec(2, "./program", "sums", tools=chain("./libcounter.so", "bcast", "./libcounter.so"))
    assert (result.status, result.out) == (0, "sum right\n"), result
    assert tables(result) == [(2, 0, 0, 2), (0, 1, 1, 6)], result


def test_same_file_under_three_names_has_three_tables(pmpi, run):
    result = run(chain(f"{pmpi.work}/libcounter.so", "./libcounter.so", f"{pmpi.work}/./libcounter.so"), "sums")
    assert tables(result) == [(1, 0, 0, 1), (1, 0, 0, 2), (1, 0, 0, 3)], result


def test_no_call_of_four_threads_is_lost(run):
    result = run(chain("./libcounter.so", "./libcounter.so"), "threads")
    assert tables(result) == [(0, 0, 0, 40000), (0, 0, 0, 40001)], result


def test_tool_is_found_by_the_search_of_the_system_twice(pmpi, run):
    folder = pmpi.work / "search"
    folder.mkdir(exist_ok=True)
    shutil.copy(pmpi.work / "libcounter.so", folder / "libfound.so")
    path = ":".join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")]))
    result = run(chain("libfound.so", "libfound.so"), "sums", LD_LIBRARY_PATH=path)
    assert (result.status, tables(result)) == (0, [(1, 0, 0, 1), (1, 0, 0, 2)]), result


def test_tool_preloaded_and_in_the_list_counts_twice(run):
    result = run(chain("./libcounter.so"), "sums", LD_PRELOAD="./libcounter.so")
    assert tables(result) == [(1, 0, 0, 1), (1, 0, 0, 2)], result


OWN = "own: calls 3 3 3 3 rand -7 caught"


def own_lines(result):
    return re.findall(r"^own: .*$", result.out, re.M)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_own_names_win_over_those_of_the_program_and_of_libc(run, times):
    """Each instance has its own variables, and calls its own functions; those of the program stay what they are."""
    result = run(chain(*["./libown.so"] * times), "./barriers", LD_PRELOAD=None)
    assert own_lines(result) == [OWN] * times and "program: calls 100 rand 5" in result.out, result


def test_own_names_win_over_those_of_the_same_tool_preloaded(run):
    """The preloaded copy counts in the variables of the program, as without the chain; the member in its own."""
    result = run(chain("./libown.so"), "./barriers", LD_PRELOAD="./libown.so")
    assert result.status == 0 and own_lines(result)[1:] == [OWN], result
    assert own_lines(result)[0].startswith("own: calls 103 "), result


def test_member_shares_the_allocator_of_the_program(pmpi, run):
    """Memory that the C library allocates for the tool is freed by the allocator that the program has."""
    allocator = pmpi.library(HERE / "allocator.c", "-fno-builtin")
    result = run(chain("./libown.so", "./libown.so"), "./barriers", LD_PRELOAD=allocator)
    assert result.status == 0 and own_lines(result) == [OWN] * 2, result


# ---- order ----

def test_two_members_and_two_native_tools_in_turn(run):
    result = run(chain("./liborder_a.so", "n", "./liborder_b.so", "n"), "functions")
    assert record(result, "MPI_Comm_rank") == (
        "A>MPI_Comm_rank n2>MPI_Comm_rank B>MPI_Comm_rank n4>MPI_Comm_rank "
        "n4<MPI_Comm_rank B<MPI_Comm_rank n2<MPI_Comm_rank A<MPI_Comm_rank"), result


def test_function_that_a_member_does_not_wrap_skips_it(run):
    result = run(chain("./liborder_a.so", "n", "./liborder_b.so", "n"), "functions")
    assert record(result, "MPI_Barrier") == "n2>MPI_Barrier n4>MPI_Barrier n4<MPI_Barrier n2<MPI_Barrier", result


def test_three_members_in_a_row(run):
    result = run(chain("n", "./liborder_b.so", "./liborder_a.so", "./liborder_b.so"), "functions")
    assert record(result, "MPI_Comm_rank") == (
        "n1>MPI_Comm_rank B>MPI_Comm_rank A>MPI_Comm_rank B>MPI_Comm_rank "
        "B<MPI_Comm_rank A<MPI_Comm_rank B<MPI_Comm_rank n1<MPI_Comm_rank"), result


def test_entry_with_the_path_as_argument_means_the_same(run):
    result = run("pmpi(./liborder_a.so),n,pmpi=./liborder_b.so", "functions")
    assert record(result, "MPI_Comm_rank") == ("A>MPI_Comm_rank n2>MPI_Comm_rank B>MPI_Comm_rank "
                                               "B<MPI_Comm_rank n2<MPI_Comm_rank A<MPI_Comm_rank"), result


def test_thousand_members_with_256_descriptors(pmpi, run):
    """No member may hold a descriptor. The limit of most systems is 1,024."""
    result = run(",".join([member("./liborder_a.so")] * 1000), "/bin/bash", "-c", "ulimit -n 256; exec ./program functions")
    assert (result.status, record(result, "MPI_Comm_rank").split().count("A>MPI_Comm_rank")) == (0, 1000), result


def test_members_leave_no_descriptors_open(run):
    plain = run("", "descriptors").out
    assert plain.startswith("descriptors ")
    assert run(chain("./liborder_a.so", "./libcounter.so", "./liborder_a.so"), "descriptors").out == plain


# ---- habits of PMPI tools ----

# function: what tool and native tools note under n, habits, n. PROTECTION is that of closed data.
HABITS = {
    "calls of own and other functions by MPI_ and PMPI_ names":
        ("MPI_Comm_size", "n1>MPI_Comm_size t>MPI_Comm_rank n3>MPI_Comm_rank n3<MPI_Comm_rank t<MPI_Comm_rank "
                          "n3>MPI_Comm_group n3<MPI_Comm_group n3>MPI_Group_free n3<MPI_Group_free "
                          "n3>MPI_Comm_size n3<MPI_Comm_size n1<MPI_Comm_size"),
    "constructed once, dlsym(RTLD_NEXT) in a constructor":
        ("MPI_Barrier", "n1>MPI_Barrier constructed 1 n3>MPI_Barrier n3<MPI_Barrier n1<MPI_Barrier"),
    "addresses in data, closed as before": ("MPI_Wtime", "n1>MPI_Wtime PROTECTION own n3>MPI_Wtime n3<MPI_Wtime n1<MPI_Wtime"),
    "dlsym(RTLD_DEFAULT)": ("MPI_Wtick", "n1>MPI_Wtick own others n3>MPI_Wtick n3<MPI_Wtick n1<MPI_Wtick"),
    "dlsym in a library opened by hand":
        ("MPI_Get_version", "n1>MPI_Get_version n3>MPI_Get_version n3<MPI_Get_version n1<MPI_Get_version"),
    "calls of a helper thread":
        ("MPI_Initialized", "n1>MPI_Initialized n3>MPI_Initialized n3<MPI_Initialized n1<MPI_Initialized"),
    "MPI_Pcontrol with its arguments": ("MPI_Pcontrol", "pcontrol 3 7 2.5 text"),
}
LINKED = {"default": [], "full relro": ["-Wl,-z,relro,-z,now"], "no relro, lazy": ["-Wl,-z,norelro", "-Wl,-z,lazy"],
          "no PLT": ["-fno-plt", "-Wl,-z,relro,-z,now"], "symbolic": ["-Wl,-Bsymbolic"],
          "sysv hash": ["-Wl,--hash-style=sysv"], "-O0": ["-O0"]}


@pytest.fixture(scope="module", params=LINKED)
def habits(request, pmpi, run):
    """A run under a C++ tool that is linked in one of these manners, and the protection of its closed data."""
    library = pmpi.library(HERE / "habits.cpp", "-std=c++17", "-pthread", *LINKED[request.param], "-ldl")
    return run(chain("n", str(library), "n"), "functions"), "rw-p" if "no relro" in request.param else "r--p"


@pytest.mark.parametrize("what", HABITS)
def test_habit_of_a_cpp_tool(habits, what):
    result, protection = habits
    function, expected = HABITS[what]
    assert record(result, function) == expected.replace("PROTECTION", protection), result


@pytest.fixture(scope="module")
def habits_twice(run):
    return run(chain("./libhabits.so", "n", "./libhabits.so", "n"), "functions")


def test_member_that_is_there_twice_is_constructed_once_each(habits_twice):
    assert record(habits_twice, "MPI_Barrier") == (
        "constructed 1 n2>MPI_Barrier constructed 1 n4>MPI_Barrier n4<MPI_Barrier n2<MPI_Barrier"), habits_twice


def test_helper_thread_of_a_second_member_calls_the_next_tool(habits_twice):
    assert record(habits_twice, "MPI_Initialized") == (
        "n2>MPI_Initialized n4>MPI_Initialized n4<MPI_Initialized n2<MPI_Initialized"), habits_twice


def test_constructors_follow_binding_in_the_older_order_of_the_loader(run):
    result = run(chain("n", "./libhabits.so", "n"), "functions", GLIBC_TUNABLES="glibc.rtld.dynamic_sort=1")
    assert record(result, "MPI_Barrier") == "n1>MPI_Barrier constructed 1 n3>MPI_Barrier n3<MPI_Barrier n1<MPI_Barrier", result


@pytest.fixture(scope="module")
def unlinked(pmpi):
    done = pmpi.run("gcc", "-fPIC", "-shared", "-I", pmpi.include, "-o", "libunlinked.so", HERE / "counter.c")
    assert done.status == 0, done


def test_tool_that_is_not_linked_with_mpi(run, unlinked):
    assert tables(run(chain("./libunlinked.so"), "sums")) == [(1, 0, 0, 1)]


def test_tools_in_a_program_that_loads_mpi_with_local_scope(pmpi, unlinked):
    result = pmpi.run(sys.executable, ROOT / "test/choose/interpreter.py", pmpi.lib / "libmpi.so",
                      MPIR_CVAR_QMPI_TOOL_LIST=chain("./libunlinked.so", "./libcounter.so"))
    assert tables(result) == [(0, 0, 0, 1), (0, 0, 0, 2)], result


# ---- tools that define PMPI names ----

# function: notes under n, alias, n
ALIASES = {"MPI_Barrier": "n1>MPI_Barrier alias n3>MPI_Barrier n3<MPI_Barrier n1<MPI_Barrier",
           "MPI_Wtime": "n1>MPI_Wtime own n3>MPI_Wtime n3<MPI_Wtime n1<MPI_Wtime",
           "MPI_Wtick": "n1>MPI_Wtick found own n3>MPI_Wtime n3<MPI_Wtime n1<MPI_Wtick"}


@pytest.mark.parametrize("function", ALIASES)
def test_tool_whose_wrappers_are_aliases_of_pmpi_names(run, function):
    """Its PMPI functions are called once, also by its own code, and lead to the next link."""
    result = run(chain("n", "./libalias.so", "n"), "functions")
    assert record(result, function) == ALIASES[function], result


def test_tool_whose_wrappers_are_aliases_is_there_twice_and_preloaded(run):
    """Each copy is called once: a member does not reach the preloaded one."""
    result = run(chain("./libalias.so", "n", "./libalias.so"), "functions", LD_PRELOAD="./libnative.so ./libalias.so")
    assert record(result, "MPI_Barrier") == "alias alias n2>MPI_Barrier alias n2<MPI_Barrier", result


# ---- functions that the library lacks ----

@pytest.mark.parametrize("options", [(), ("-Wl,-z,now",), ("-fno-plt",)], ids=["lazy", "now", "no PLT"])
def test_missing_function_that_is_not_called_does_no_harm(pmpi, run, options):
    """A tool for a later MPI is called and passes calls on, however it is linked."""
    library = pmpi.library(HERE / "missing.c", "-Wl,-z,lazy", *options)
    result = run(chain("n", str(library), "n"), "functions")
    assert record(result, "MPI_Barrier") == "n1>MPI_Barrier missing n3>MPI_Barrier n3<MPI_Barrier n1<MPI_Barrier", result
    assert (result.status, result.err) == (0, ""), result


def test_missing_function_that_is_called_is_named(pmpi, run):
    """The process ends with a line that has the tool and the function."""
    library = pmpi.library(HERE / "missing.c", "-DCALLED", name="libcalled.so")
    result = run(member(library), "functions")
    assert result.status == 127, result
    assert result.err == f"MPICH: the PMPI tool '{library}' calls PMPI_New_function, which this MPI library does not have\n", result


# ---- plugins ----

PLUGIN = "host plugin 1 host n{0}>MPI_Comm_rank n{0}<MPI_Comm_rank n{0}>MPI_Barrier"


@pytest.mark.parametrize("path", ["./libplugin.so", "libplugin.so"])
def test_functions_of_a_plugin_are_called_and_call_the_next_link(pmpi, run, path):
    """dlsym gives the plugin's function; its MPI_X is the host's wrapper, its PMPI_X the link after the host."""
    shutil.copy(pmpi.library(HERE / "host.c", "-ldl", "-Wl,-rpath,$ORIGIN", name="libfinder.so"), pmpi.work / "libfinder.so")
    result = run(chain("n", "./libfinder.so", "n"), "functions", PLUGIN=path)
    assert record(result, "MPI_Barrier") == f"n1>MPI_Barrier {PLUGIN.format(3)} n3<MPI_Barrier n1<MPI_Barrier", result


def test_function_that_a_plugin_lacks_is_that_of_the_next_link(run):
    result = run(chain("n", "./libhost.so", "n"), "functions", PLUGIN="./libplugin.so")
    assert record(result, "MPI_Wtime") == "n1>MPI_Wtime n3>MPI_Wtime n3<MPI_Wtime n1<MPI_Wtime", result


def test_each_member_has_its_own_plugin(run):
    """The second member gets a copy, with its own count and its own next link."""
    result = run(chain("./libhost.so", "n", "./libhost.so", "n"), "functions", PLUGIN="./libplugin.so")
    assert record(result, "MPI_Barrier") == (
        "host plugin 1 host n2>MPI_Comm_rank host n4>MPI_Comm_rank n4<MPI_Comm_rank n2<MPI_Comm_rank n2>MPI_Barrier "
        f"{PLUGIN.format(4)} n4<MPI_Barrier n2<MPI_Barrier"), result


# ---- files ----

@pytest.mark.parametrize("preload, times", [(None, 1), (None, 3), ("./libmaps.so", 2)])
def test_files_of_mapped_code_exist(run, preload, times):
    """A tool that reads the symbols of all libraries finds their files; the copies have the tool's own."""
    result = run(chain(*["./libmaps.so"] * times), "./barriers", LD_PRELOAD=preload)
    lines = re.findall(r"^maps: .*$", result.out, re.M)
    assert lines == ["maps: MPI_Finalize in libmaps.so"] * (times + bool(preload)), result


# ---- calls of the tool interface ----

NATIVE_TOOLS = "profile(out=-),messages(out=-),trace(out=none),check(out=-)"


@pytest.mark.parametrize("tools, preload", [(NATIVE_TOOLS, "./libspy.so"), (f"{NATIVE_TOOLS},pmpi=./libspy.so", None),
                                            ("pmpi=./liborder_a.so,profile", "./libspy.so")])
def test_calls_of_the_interface_by_the_shipped_tools_are_not_seen(run, tools, preload):
    """A tool that wraps functions of the interface is called by nobody but the program."""
    result = run(tools, "./program", "sums", LD_PRELOAD=preload)
    assert "spy: 0\n" in result.out, result


def test_shipped_tools_need_no_interface_function_by_an_intercepted_name(pmpi):
    """Of all functions of the interface they call the QMPI_ forms."""
    interface = set(re.findall(r"^(MPIX?_\w+):", (ROOT / "src/qmpi/qmpi_api.txt").read_text(), re.M))
    for library in (pmpi.lib / "mpich/tools").glob("*.so"):
        needed = re.findall(r" U (\w+)", pmpi.run("nm", "-D", library).out)
        assert "QMPIX_Register_tool" in needed and not interface & set(needed), library


# ---- call sites ----

@pytest.fixture(scope="module")
def sites(run):
    return run(chain("./libhabits.so", "n"), "functions", SITES="1")


def test_calls_passed_on_keep_the_call_site_and_own_calls_have_their_own(sites):
    found = [word for word in record(sites, "MPI_Comm_size").split() if word.startswith("n2>")]
    assert found == ["n2>MPI_Comm_rank@libhabits.so", "n2>MPI_Comm_group@libhabits.so", "n2>MPI_Group_free@libhabits.so",
                     "n2>MPI_Comm_size@program"], sites


def test_calls_of_a_helper_thread_have_the_call_site_of_the_tool(sites):
    assert record(sites, "MPI_Initialized") == "n2>MPI_Initialized@libhabits.so n2<MPI_Initialized", sites


# ---- tools of several libraries ----

@pytest.fixture(scope="module")
def parts(pmpi):
    """A tool whose wrappers and PMPI calls are in two libraries that it needs; each finds the others by $ORIGIN."""
    folder = pmpi.work / "parts"
    folder.mkdir()
    (folder / "empty.c").write_text("int tool_of_parts = 1;\n")
    origin = "-Wl,-rpath,$ORIGIN"
    for words in (["-o", "parts/libnext.so", HERE / "parts.c"],
                  ["-o", "parts/libwrappers.so", "-DWRAPPERS", HERE / "parts.c", "-Lparts", "-lnext", origin],
                  ["-o", "parts/libparts.so", "parts/empty.c", "-Wl,--no-as-needed", "-Lparts", "-lwrappers", "-lnext", origin]):
        done = pmpi.run("mpicc", "-g", "-fPIC", "-shared", *words)
        assert done.status == 0, done
    return folder


def test_wrappers_in_a_library_that_the_tool_needs(run, parts):
    result = run(chain("n", "parts/libparts.so", "n"), "functions")
    assert record(result, "MPI_Comm_rank") == (
        "n1>MPI_Comm_rank w>MPI_Comm_rank n3>MPI_Comm_rank n3<MPI_Comm_rank n1<MPI_Comm_rank"), result


def test_tool_of_several_libraries_cannot_be_a_member_twice(run, parts):
    assert_refused(run(chain("parts/libparts.so", "parts/libparts.so"), "functions"), "parts/libparts.so",
                   "it needs libwrappers.so, which uses MPI or dlsym and belongs to an earlier entry of the list: "
                   "a process can load such a library only once")


def test_tool_that_shares_a_library_with_the_program_is_refused(pmpi, run, parts):
    path = ":".join(filter(None, [str(parts), os.environ.get("LD_LIBRARY_PATH")]))
    done = pmpi.run("mpicc", "-rdynamic", "-pthread", "-o", "linked", HERE / "program.c", "-Wl,--no-as-needed", "-Lparts",
                    "-lnext", f"-Wl,-rpath,{parts}", LD_LIBRARY_PATH=path)
    assert done.status == 0, done
    assert_refused(run(chain("parts/libparts.so"), "./linked", "functions"), "parts/libparts.so",
                   "it needs libnext.so, which uses MPI and which the program has loaded for itself: "
                   "calls of the tool cannot be distinguished from those of the program")


# ---- Fortran ----

@pytest.fixture(scope="module")
def fortran(pmpi):
    shutil.copy(pmpi.library(HERE / "fortran.c", "-Wl,--no-as-needed", f"-L{pmpi.lib}", "-lmpifort"), pmpi.work)


def test_fortran_call_of_a_member_does_not_come_back_to_it(run, fortran):
    result = run(chain("n", "./libfortran.so", "n"), "functions")
    assert record(result, "MPI_Comm_rank") == "n1>MPI_Comm_rank f n1<MPI_Comm_rank", result


def test_attributes_of_a_fortran_program_keep_their_width(pmpi, run, fortran):
    """The Fortran wrapper of the tool is not called: it would write to standard error."""
    program = pmpi.program(HERE / "attribute.F90")
    result = run(chain("./libfortran.so", "./libfortran.so"), program, LD_PRELOAD=None)
    assert (result.out, result.err) == ("attribute -5 T 0\n", ""), result


# ---- refusals ----

# what: path, reason
REFUSED = {
    "missing file": ("./none.so", "No such file or directory"),
    "directory": ("./directory.so", "it is a directory"),
    "pipe": ("./libpipe.so", "it is not a regular file"),
    "text": ("./libtext.so", "it is not a library"),
    "empty file": ("./libempty.so", "it is not a library"),
    "file of some bytes": ("./libshort.so", "it is truncated"),
    "library that is cut off": ("./libhalf.so", "it is truncated"),
    "another processor": ("./libforeign.so", "it is for another kind of machine"),
    "32 bits": ("./libclass.so", "it is for another kind of machine"),
    "program": ("./program", "cannot dynamically load position-independent executable"),
    "unknown name": ("libnowhere.so", "cannot open shared object file: No such file or directory"),
    "unresolved reference": ("./libunresolved.so", "undefined symbol: there_is_no_such_function"),
    "library without MPI": ("./libnothing.so", "it defines no function of MPI, so it is no PMPI tool"),
    "Fortran alone": ("./libfortran_only.so", "it wraps Fortran functions (mpi_comm_rank_) but no C functions"),
    "another MPI library": ("./libother.so", "is an MPI library and not the program's (it defines PMPI_Comm_rank)"),
    "MPI library with aliases": ("./libweak.so", "is an MPI library and not the program's (it defines PMPI_Comm_rank)"),
    "copy of the MPI library": ("./libcopy.so", "./libcopy.so, which belongs to it, is an MPI library and not the program's"),
}


@pytest.fixture(scope="module")
def wrong(pmpi):
    work = pmpi.work
    for name, macro in (("unresolved", "UNRESOLVED"), ("nothing", "NOTHING"), ("fortran_only", "FORTRAN_ONLY"),
                        ("other", "OTHER_MPI"),
                        ("weak", "WEAK_MPI")):
        shutil.copy(pmpi.library(HERE / "wrong.c", f"-D{macro}"), work / f"lib{name}.so")
    shutil.copy(pmpi.lib / "libmpi.so", work / "libcopy.so")
    write_broken(work, work / "libcounter.so")
    (work / "directory.so").mkdir()


@pytest.mark.parametrize("what", REFUSED)
def test_is_refused(run, wrong, what):
    path, reason = REFUSED[what]
    assert_refused(run(chain(path) if ".so" in path else member(path), "functions"), path, reason)


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="text relocations of this form exist on x86-64 only")
def test_addresses_of_mpi_in_the_code_are_refused(pmpi, run):
    library = pmpi.library(HERE / "order.c", "-fno-pic", "-mcmodel=large", "-Wl,-z,notext", '-DLETTER="T"', name="libtext.so")
    assert_refused(run(member(library), "functions"), str(library),
                   "the addresses of MPI functions are part of the code of libtext.so, which is not changed")


def test_unreadable_file_is_refused(pmpi, run, restricted):
    closed = pmpi.work / "closed.so"
    shutil.copy(pmpi.work / "libcounter.so", closed)
    closed.chmod(0)
    assert_refused(run(chain("./closed.so"), *restricted, "./program", "functions", LD_PRELOAD=None),
                   "./closed.so", "Permission denied")


def test_arguments_are_refused(run):
    assert_refused(run(chain("./libcounter.so(x)"), "functions"), "libcounter.so", "takes no arguments")


def test_rest_of_the_chain_runs_with_warn(run, wrong, parts):
    result = run(chain("./libnothing.so", "./libcounter.so", "parts/libparts.so", "parts/libparts.so"), "sums",
                 MPIR_CVAR_QMPI_ON_ERROR="warn")
    assert (result.status, result.out, tables(result)) == (0, "sum right\n", [(1, 0, 0, 1)]), result
    assert [text.endswith("left out") for text in faults(result.err)] == [True, True], result


# ---- reports ----

def test_verbose_report_has_the_path(run):
    result = run(chain("./liborder_a.so", "n"), "sums", MPIR_CVAR_QMPI_VERBOSE="1")
    assert re.search(r"tools: instance 1: pmpi[=(]\./liborder_a\.so\b", result.err, re.M), result


def test_qmpi_info_shows_members(pmpi):
    result = pmpi.run("qmpi_info", chain("./libcounter.so", "./libcounter.so"), "-f", "MPI_Comm_rank")
    assert re.search(r"^MPI_Comm_rank: 1 pmpi\S*, 2 pmpi\S*, library$", result.out, re.M), result


# ---- systems without memory files ----

@pytest.fixture(scope="module")
def no_memfd(pmpi):
    return pmpi.library("#include <errno.h>\nint memfd_create(const char *name, unsigned flags)\n"
                        "{\n    errno = ENOSYS;\n    return -1;\n}\n", name="no_memfd.c")


def test_temporary_files_replace_memory_files_and_are_removed(pmpi, run, no_memfd):
    folder = pmpi.work / "temporary"
    folder.mkdir()
    result = run(chain("./libcounter.so", "./libcounter.so"), "sums", LD_PRELOAD=no_memfd, TMPDIR=folder)
    assert tables(result) == [(1, 0, 0, 1), (1, 0, 0, 2)] and not list(folder.iterdir()), result


def test_missing_directory_for_temporary_files_is_refused(pmpi, run, no_memfd):
    result = run(chain("./libcounter.so"), "sums", LD_PRELOAD=no_memfd, TMPDIR=pmpi.work / "nowhere")
    assert_refused(result, "./libcounter.so", "No such file or directory")


# ---- memory ----

def test_valgrind_finds_no_more_than_without_tools(pmpi, run, needs):
    """The device's libraries have findings of their own."""
    needs("valgrind")

    def memcheck(tools, preload, number):
        log = pmpi.work / f"valgrind{number}.log"
        result = run(tools, shutil.which("valgrind"), "--leak-check=full", f"--log-file={log}", "./program", "functions",
                     LD_PRELOAD=preload, seconds=300)
        assert result.status == 0, result
        return [int(number.replace(",", "")) for number in
                re.findall(r"(?:ERROR SUMMARY|definitely lost|possibly lost): ([\d,]+)", log.read_text())]

    found = memcheck(chain("./libcounter.so", "n", "./libhabits.so", "./libcounter.so"), "./libnative.so", 1)
    plain = memcheck("", None, 2)
    assert len(found) == len(plain) == 3 and all(here <= there for here, there in zip(found, plain)), (found, plain)


# ---- EZTrace ----

@pytest.fixture(scope="module")
def eztrace(pmpi, needs):
    """Run a program under EZTrace's module; gives the result and the text of otf2-print."""
    needs("otf2-print")
    module = EZTRACE / "libeztrace-mpich.so"
    if not module.exists():
        pytest.fail("this test needs EZTrace for MPICH (package libeztrace0)", pytrace=False)
    path = ":".join(filter(None, [str(pmpi.debian_names()), str(EZTRACE), os.environ.get("LD_LIBRARY_PATH")]))

    def trace(tools, *program, preload=None, name="program"):
        folder = pmpi.work / "eztrace"
        shutil.rmtree(folder, ignore_errors=True)
        result = pmpi.mpiexec(2, *program, tools=tools.replace("EZTRACE", member(module)), LD_PRELOAD=module if preload else None,
                              LD_LIBRARY_PATH=path, EZTRACE_TRACE="mpich", EZTRACE_LIBRARY_PATH=EZTRACE, EZTRACE_TRACE_DIR=folder)
        text = pmpi.run("otf2-print", folder / f"{name}_trace/eztrace_log.otf2", LD_LIBRARY_PATH=EZTRACE)
        return result, text.out
    return trace


def traced(text):
    """(process, function) in the order of each process."""
    return sorted(re.findall(r'^(?:ENTER|MPI_SEND|MPI_RECV) +(\d+) +\d+ +Region: "([^"]*)"', text, re.M), key=lambda it: int(it[0]))


@pytest.fixture(scope="module")
def preloaded(eztrace):
    result, text = eztrace("", "./program", "sums", preload=True)
    assert result.out == "sum right\n" and len(traced(text)) > 4, result
    return traced(text)


@pytest.mark.parametrize("tools", ["EZTRACE", "EZTRACE,bcast"])
def test_eztrace_traces_what_it_traces_when_preloaded(eztrace, preloaded, tools):
    result, text = eztrace(tools, "./program", "sums")
    assert (result.out, traced(text)) == ("sum right\n", preloaded), result


def test_eztrace_traces_every_call_that_count_counts_before_it(pmpi, eztrace):
    halo = pmpi.program(ROOT / "examples/qmpi/halo.c", "-O2", "-lm")
    result, text = eztrace("count,EZTRACE,bcast,count", halo, "-n", 24, name="halo")
    assert result.status == 0 and result.out.splitlines()[-1] == "result correct", result
    names = re.findall(r'^ENTER .*?Region: "(MPI_\w+)"', text, re.M)
    first = result.err[result.err.index("count: instance 1"):result.err.index("count: instance 2")]
    counted = {name: int(calls) for name, calls in re.findall(r"^(MPI_\w+) +(\d+)", first, re.M) if name in names}
    assert counted == {name: names.count(name) for name in names}, result
