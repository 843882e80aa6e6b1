# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The code that tools share, as a tool outside of this tree uses it: qmpi/*.hpp, libqmpi.a, qmpi.pc, the CMake package."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "examples/tools"
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wpedantic", "-Werror"]
HEADERS = sorted(path.name for folder in ("common", "qmpi") for path in (ROOT / "src/tools" / folder).glob("*.hpp"))


def test_all_headers_are_installed(mpich):
    assert sorted(path.name for path in (mpich.include / "qmpi").iterdir()) == HEADERS


@pytest.mark.parametrize("header", HEADERS)
def test_header_compiles_alone(mpich, header):
    (mpich.work / "alone.cpp").write_text(f"#include <qmpi/{header}>\n#include <qmpi/{header}>\n")
    result = mpich.run("mpicxx", "-std=c++17", *WARNINGS, "-fsyntax-only", "alone.cpp", seconds=600)
    assert (result.status, result.err) == (0, ""), result


@pytest.mark.parametrize("example", ["communicators", "requests", "sends_test"])
def test_example_compiles_with_clang(mpich, needs, example):
    """clang limits the nesting of expressions, and a fold over all functions is one."""
    needs("clang++")
    result = mpich.run("clang++", "-std=c++17", *WARNINGS, f"-I{mpich.include}", "-fsyntax-only", EXAMPLES / f"{example}.cpp", seconds=600)
    assert (result.status, result.err) == (0, ""), result


def test_library_exports_nothing_of_a_tool(mpich):
    """Two tools in one process may have different versions of the library."""
    tool = mpich.library(EXAMPLES / "sites.cpp", "-std=c++17", "-fvisibility=hidden", "-lqmpi", "-ldw")
    symbols = mpich.run("nm", "-DC", "--defined-only", tool).out
    assert "qmpi::" not in symbols, symbols


EVERYTHING = """
#include <qmpi/bytes.hpp>
#include <qmpi/log.hpp>
#include <qmpi/per_thread.hpp>
#include <qmpi/services.hpp>

struct Everything : qmpi::tool<Everything> {
    static constexpr auto functions = qmpi::set::point_to_point | qmpi::set::completion | qmpi::set::collective;
    struct Sum { long calls = 0; };
    struct Options : qmpi::options {
        using options::options;
        int times = option("times", 1).help("number");
    };
    const Options options{arguments()};
    qmpi::Log log{*this};
    qmpi::forever<qmpi::PerThread<Sum>> sums;
    qmpi::forever<qmpi::Communicators> communicators;
    qmpi::Traffic<int> traffic{*communicators};

    template <typename Call>
    auto intercept(Call &call)
    {
        qmpi::Bytes bytes;
        sums->own().calls += qmpi::set::collective.contains(Call::id + options.times);
        return traffic.follow(call, bytes, [] { return 0; }, [](auto &, const qmpi::Bytes &, bool) {});
    }
};
QMPI_TOOL("everything", Everything)
"""


def test_tools_of_different_versions_share_no_symbol(mpich):
    """Without flags for visibility, a tool has no variable that the linker unites, and the version in all other names. Inline
    functions are there without optimization only."""
    tool = mpich.library(EVERYTHING, "-std=c++17", "-O0", "-lqmpi", "-ldw", name="everything.cpp")
    symbols = [line.split(maxsplit=2)[1:] for line in mpich.run("nm", "-DC", "--defined-only", tool).out.splitlines()]
    ours = [(kind, name) for kind, name in symbols if "qmpi::" in name]
    assert [name for kind, name in ours if kind == "u" and "qmpi::" in name] == []
    assert ours and [name for kind, name in ours if "qmpi::v1::" not in name] == []


@pytest.fixture(scope="module")
def cmake(mpich_module, needs):
    """The examples, built with CMake."""
    needs("cmake")
    folder = mpich_module.work / "build"
    for words in ((f"-DCMAKE_PREFIX_PATH={mpich_module.prefix}", "-DCMAKE_BUILD_TYPE=Release", "-S", EXAMPLES, "-B", folder),
                  ("--build", folder, "-j2")):
        result = mpich_module.run("cmake", *words, seconds=600)
        assert result.status == 0, result
    return folder


def test_cmake_package_builds_every_example(cmake):
    tools = {path.stem for path in EXAMPLES.glob("*.cpp")} - {"sends_test"}
    assert {path.stem.removeprefix("lib") for path in cmake.glob("lib*.so")} == tools


def test_example_test_passes_without_mpiexec(mpich, cmake):
    result = mpich.run("ctest", cwd=cmake)
    assert result.status == 0 and "100% tests passed" in result.out, result


def test_tool_of_the_cmake_package_works(mpich, cmake):
    program = mpich.program(EXAMPLES / "program.c")
    result = mpich.mpiexec(2, program, tools=cmake / "libsends.so")
    assert (result.status, result.out, result.err) == (0, "sum 1\n", 2 * "MPI_Isend: 3 calls\n"), result


UNITS = ["per_thread", "log", "requests", "starts", "testing"]


@pytest.mark.parametrize("unit", UNITS)
def test_unit(mpich, unit):
    program = mpich.program(HERE / "sdk_units.cpp", "-std=c++17", *WARNINGS, "-pthread", "-lqmpi", "-ldw")
    result = mpich.run(program, unit)
    assert (result.status, result.out) == (0, "passed\n"), result


def test_call_without_a_library_function_names_it(mpich):
    program = mpich.program(HERE / "sdk_units.cpp", "-std=c++17", *WARNINGS, "-pthread", "-lqmpi", "-ldw")
    result = mpich.run(program, "missing")
    assert result.status != 0 and result.err == "the tool calls MPI_Barrier, for which the test has no library()\n", result


def test_log_has_a_limit_and_the_rank(mpich):
    program = mpich.program(HERE / "sdk_units.cpp", "-std=c++17", *WARNINGS, "-pthread", "-lqmpi", "-ldw")
    result = mpich.mpiexec(2, program, "log_in_a_program", tools="logs")
    lines = [f"QMPI tool logs: rank {rank}: {what}" for rank in (0, 1)
             for what in ("call 1", "call 2", "further messages are not printed")]
    assert result.status == 0 and sorted(result.err.splitlines()) == sorted(lines), result


def test_qmpi_info_shows_the_options_of_a_tool(mpich):
    """The line of an option is generated from its declaration."""
    listed = mpich.run("qmpi_info", "profile").out
    for line in ("depth=N           return addresses per call site (from 1 to 32; default: 1)",
                 "communicators     add sums for each communicator",
                 "functions=A+B     only these functions or sets, as in collective+MPI_Send (default: all)"):
        assert re.search(r"^ +(takes +)?" + re.escape(line) + "$", listed, re.M), listed
