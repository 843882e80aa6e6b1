# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The reader of tool lists (src/qmpi/qmpi_list.c) without MPI, under the address and undefined-behaviour sanitizers."""

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src/qmpi"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
FLAGS = ["-Wall", "-Wextra", "-Werror", "-I", SOURCE]
FUZZ_SECONDS = 20


def open_parenthesis(entry):
    return f"!a '(' without ')' in '{entry}'"


def close_parenthesis(entry):
    return f"!a ')' without '(' in '{entry}'"


def empty(number, count, text):
    return f"!entry {number} of {count} is empty in '{text}'"


NAME, PATH = "x" * 255, "/" + "y" * 4094
LONG_NAME = f"!the name '{'x' * 68}...' has 256 characters; at most 255 are allowed"
LONG_PATH = f"!the path '/{'y' * 67}...' has 4096 characters; at most 4095 are allowed"

# list: entries
LISTS = {
    # names and paths
    "a": ["NAME a"],
    "a,b:c": ["NAME a", "NAME b", "NAME c"],
    "a,a,a": ["NAME a"] * 3,
    " a ,\tb\n:\r\nc ": ["NAME a", "NAME b", "NAME c"],
    "two words": ["NAME two words"],
    "a=b": ["NAME a=b"],
    "/x/y.so": ["FILE /x/y.so"],
    "./y.so,../y.so,x/y.so": ["FILE ./y.so", "FILE ../y.so", "FILE x/y.so"],
    "/x y/z.so": ["FILE /x y/z.so"],
    "a=/x/y.so": ["FILE a=/x/y.so"],
    " a = /x/y.so ": ["FILE a=/x/y.so"],
    "./a=b/y.so": ["FILE ./a=b/y.so"],
    "a=b=/y.so": ["FILE a=b=/y.so"],
    # PMPI tools: pmpi=PATH means pmpi(PATH)
    "pmpi=/x/y.so": ["NAME pmpi(/x/y.so)"],
    "pmpi=y.so": ["NAME pmpi(y.so)"],
    "pmpi = y.so (a)": ["!'y.so' is a PMPI tool and takes no arguments"],
    "pmpi=x=/y.so": ["NAME pmpi(x=/y.so)"],
    "pmpi": ["NAME pmpi"],
    "pmpi/y.so": ["FILE pmpi/y.so"],
    "pmpi(y.so)": ["NAME pmpi(y.so)"],
    "PMPI=y.so": ["NAME PMPI=y.so"],
    # arguments
    "a()": ["NAME a"],
    "a(x)": ["NAME a(x)"],
    "a (x)": ["NAME a(x)"],
    "a( x )": ["NAME a( x )"],
    "a(x,y:z),b": ["NAME a(x,y:z)", "NAME b"],
    "profile(out=a.json),bcast,profile(out=b.json)": ["NAME profile(out=a.json)", "NAME bcast", "NAME profile(out=b.json)"],
    "a((x),(y(z))):b": ["NAME a((x),(y(z)))", "NAME b"],
    "a(())": ["NAME a(())"],
    "/x/y.so(out=/tmp/z)": ["FILE /x/y.so(out=/tmp/z)"],
    "n=/x/y.so(a=b)": ["FILE n=/x/y.so(a=b)"],
    "a(b=/c)": ["NAME a(b=/c)"],
    "a(\n)": ["NAME a(\n)"],
    "a(" + "(" * 5000 + ")" * 5000 + "),b": ["NAME a(" + "(" * 5000 + ")" * 5000 + ")", "NAME b"],
    # empty entries
    "": [empty(1, 1, "")],
    " \t": [empty(1, 1, r" \x09")],
    "a,,b": ["NAME a", empty(2, 3, "a,,b"), "NAME b"],
    ",a": [empty(1, 2, ",a"), "NAME a"],
    "a:": ["NAME a", empty(2, 2, "a:")],
    "a, ,b": ["NAME a", empty(2, 3, "a, ,b"), "NAME b"],
    # parentheses
    "a(x": [open_parenthesis("a(x")],
    "a(x,b": [open_parenthesis("a(x,b")],
    "a((x),b": [open_parenthesis("a((x),b")],
    "a),b": [close_parenthesis("a)"), "NAME b"],
    "a(x)),b": ["!text after the closing parenthesis in 'a(x))'", "NAME b"],
    "a(x)y": ["!text after the closing parenthesis in 'a(x)y'"],
    "a(x)(y)": ["!text after the closing parenthesis in 'a(x)(y)'"],
    ")(": [close_parenthesis(")(")],
    "(x),b": ["!no tool before the parenthesis in '(x)'", "NAME b"],
    "b, ( x )": ["NAME b", "!no tool before the parenthesis in '( x )'"],
    "()": ["!no tool before the parenthesis in '()'"],
    # missing parts
    "pmpi=": ["!'pmpi=' has no path"],
    "pmpi= (x)": ["!'pmpi=' has no path"],
    "=/x/y.so": ["!'=/x/y.so' has no name before the '='"],
    " = /x/y.so(a)": ["!'= /x/y.so' has no name before the '='"],
    # lengths
    NAME: ["NAME " + NAME],
    NAME + "x": [LONG_NAME],
    PATH: ["FILE " + PATH],
    PATH + "y": [LONG_PATH],
    NAME + "=" + PATH: ["FILE " + NAME + "=" + PATH],
    NAME + "x=/y": [LONG_NAME],
    "pmpi=" + PATH + "y": [LONG_PATH],
    "a(" + "z" * (1 << 20) + ")": ["NAME a(" + "z" * (1 << 20) + ")"],
    "a," * 10000 + "a": ["!!more than 10000 entries in '" + "a," * 34 + "...'"],
    "a," * 9999 + "a": ["NAME a"] * 10000,
    # messages for any terminal
    "a\x01\x1b[2J\x7f(": [open_parenthesis(r"a\x01\x1b[2J\x7f(")],
    "%s%n(": [open_parenthesis("%s%n(")],
    "\u00e4(": [open_parenthesis("\u00e4(")],
    "\u009b2J(": [open_parenthesis(r"\x9b2J(")],
    "\n" * 100 + "(": [open_parenthesis("(")],
    "a" + "\n" * 100 + "(": [open_parenthesis("a" + r"\x0a" * 16 + "...")],
}


@pytest.fixture(scope="module")
def build(local_module):
    """Compile the reader with C++ files."""
    def build(name, *sources, sanitizers=SANITIZERS, compilers=("gcc", "g++")):
        reader = local_module.program(SOURCE / "qmpi_list.c", "-std=c99", "-D_GNU_SOURCE", *FLAGS, *sanitizers, "-c",
                                      name="list.o", compiler=compilers[0])
        first, *others = sources
        return local_module.program(HERE / first, "-std=c++17", *FLAGS, *sanitizers, *[HERE / source for source in others],
                                    reader, name=name, compiler=compilers[1])
    return build


@pytest.fixture(scope="module")
def read(local_module, build):
    """The entries of a list as the runtime reads it."""
    program = build("forms", "forms.cpp")

    def read(text):
        result = local_module.run(program, stdin=text)
        assert (result.status, result.err) == (0, ""), result
        return result.out.split("\0")[:-1]
    return read


@pytest.mark.parametrize("text", LISTS, ids=lambda text: repr(text if len(text) < 50 else f"{text[:20]}... {len(text)} characters"))
def test_list_is_read(read, text):
    assert read(text) == LISTS[text]


@pytest.mark.parametrize("text", sorted(path.name for path in (HERE / "corpus").iterdir()))
def test_invariants_hold_for_a_text_of_the_corpus(local_module, build, text):
    """The invariants are in fuzz.cpp."""
    result = local_module.run(build("replay", "fuzz.cpp", "replay.cpp"), HERE / "corpus" / text)
    assert result.status == 0, result


@pytest.mark.long
def test_libfuzzer_finds_nothing(local, build, needs):
    """New texts of interest are in the directory "found" (see --out)."""
    needs("clang", "clang++")
    fuzz = build("fuzz", "fuzz.cpp", sanitizers=[*SANITIZERS, "-fsanitize=fuzzer"], compilers=("clang", "clang++"))
    (local.work / "found").mkdir()
    result = local.run(fuzz, f"-max_total_time={FUZZ_SECONDS}", "-max_len=8192", "-print_final_stats=1",
                       f"-artifact_prefix={local.work}/", "found", HERE / "corpus", seconds=FUZZ_SECONDS + 120)
    assert result.status == 0, result
