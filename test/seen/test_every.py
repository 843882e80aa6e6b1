# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Does a tool see every function of every interface, exactly once?

The table of all functions is in functions.txt in the folder of the tests (--out).
"""

import re
import subprocess
from pathlib import Path

import pytest

from seen import every

HERE = Path(__file__).resolve().parent
INTERFACES = list(every.INTERFACES)


@pytest.fixture(scope="module")
def description(tree):
    try:
        return every.Description(tree)
    except every.Failure as failure:
        pytest.fail(str(failure), pytrace=False)


@pytest.fixture(scope="module")
def ids(mpich_module):
    """Names of the functions with an id, in capitals."""
    header = (mpich_module.include / "mpi_qmpi_proto.h").read_text()
    found = set(re.findall(r"^\s+(MPIX?_\w+)_T = \d+", header, re.M)) - {"MPI_LAST_FUNC"}
    assert len(found) > 600, "mpi_qmpi_proto.h has no list of ids"
    return found


def symbols_of(libraries):
    found = set()
    for library in libraries:
        if library.exists():
            lines = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, text=True,
                                   check=True).stdout.splitlines()
            found |= {line.split()[-1].partition("@")[0] for line in lines}
    return found


class Run:
    """The calls of an interface's program, those that the tool saw, and the symbols of the libraries"""

    def __init__(self, title, mpich, description):
        interface = every.INTERFACES[title](description)
        # library with the tool that records all calls
        record = mpich.library(HERE / "record.cpp", "-std=c++17", compiler=interface.tool_compiler)
        self.title, self.calls = title, list(interface.calls())
        between = [call for call in self.calls if call.function not in (every.FIRST, every.LAST)]
        name = re.sub(r"\W", "_", title)
        source = mpich.work / f"{name}.{interface.suffix}"
        source.write_text("\n".join(interface.program(between)) + "\n")
        compiler, *options = interface.compile
        done = mpich.run(mpich.prefix / compiler, *options, source, "-o", mpich.work / name, record,
                         f"-Wl,-rpath,{record.parent}", seconds=600)
        if done.status != 0:
            pytest.fail(repr(done), pytrace=False)
        self.result = mpich.run(mpich.work / name, LD_PRELOAD=record, MPIR_CVAR_QMPI_TOOL_LIST="record")
        # function: calls that the tool saw instead
        self.wrong = dict(re.findall(r"^not ok  ?(\w+): the tool saw(.*)$", self.result.out + self.result.err, re.M))
        self.symbols = symbols_of(mpich.lib / library for library in interface.libraries)

    def checked(self):
        """Number of calls after which the program queried the tool."""
        counts = re.findall(r"^(\d+) passed, (\d+) failed$", self.result.out, re.M)
        return sum(map(int, counts[-1])) if counts else None

    def forms(self, call):
        """Those of MPI_X, PMPI_X and QMPI_X that exist, as letters"""
        return "".join(letter for letter, form in zip("MPQ", call.forms) if form in self.symbols)


@pytest.fixture(scope="module")
def runs(mpich_module, description, ids):
    made = {}

    def run(title):
        if title == "MPI ABI" and not (mpich_module.lib / "libmpi_abi.so").exists():
            pytest.skip("the installation has no library of the MPI ABI")
        if title not in made:
            made[title] = Run(title, mpich_module, description)
        return made[title]

    yield run
    write_table(mpich_module.work / "functions.txt", made, ids)


def write_table(path, runs, ids):
    cells = {}
    for title, run in runs.items():
        for call in run.calls:
            seen = "WRONG" if call.function in run.wrong else "answered" if call.why_answered else "seen"
            cells[call.function.upper(), title] = f"{run.forms(call)} {seen}"
    lines = ["M, P, Q: MPI_X, PMPI_X, QMPI_X exist. seen: called and seen once. answered: the same, but the tool did not pass",
             "the call to the library. -: not a procedure of the interface.", "",
             "function".ljust(40) + "".join(title.ljust(14) for title in runs)]
    lines += [name.ljust(40) + "".join(cells.get((name, title), "-").ljust(14) for title in runs)
              for name in sorted(ids)]
    path.write_text("\n".join(line.rstrip() for line in lines) + "\n")


@pytest.mark.parametrize("title", INTERFACES)
def test_program_ends_and_has_checked_every_call(runs, title):
    run = runs(title)
    assert run.result.status == 0, repr(run.result)
    assert run.checked() == len(run.calls), repr(run.result)


@pytest.mark.parametrize("title", INTERFACES)
def test_tool_sees_every_function_exactly_once(runs, title):
    run = runs(title)
    assert run.checked(), repr(run.result)
    assert [f"{function}: the tool saw{saw or ' nothing'}" for function, saw in run.wrong.items()] == []


@pytest.mark.parametrize("title", INTERFACES)
def test_every_function_has_an_id(runs, ids, title):
    assert [call.function for call in runs(title).calls if call.function.upper() not in ids] == []


@pytest.mark.parametrize("title", INTERFACES)
def test_every_function_has_an_mpi_a_pmpi_and_a_qmpi_form(runs, title):
    run = runs(title)
    assert [f"{call.function}: only {run.forms(call) or 'none'} of {', '.join(call.forms)}"
            for call in run.calls if run.forms(call) != "MPQ"] == []


def test_every_exported_function_with_an_id_is_called_in_c(runs, ids):
    run = runs("C")
    exported = ids & {symbol.upper() for symbol in run.symbols}
    assert sorted(exported - {call.function.upper() for call in run.calls}) == []


def test_every_exported_function_of_mpi_abi_h_is_called(runs, mpich_module):
    run = runs("MPI ABI")
    declared = every.functions_declared_in(mpich_module.include / "mpi_abi.h")
    assert sorted((declared & run.symbols) - {call.function for call in run.calls}) == []


# Functions of each interface, by the version of the base. A base that is not here has as many as the one before it.
NUMBERS = {
    (4, 0, 2): {"C": 634, "mpif.h": 419, "use mpi": 419, "use mpi_f08": 527},
    (5, 0, 1): {"C": 758, "MPI ABI": 662, "mpif.h": 476, "use mpi": 476, "use mpi_f08": 595},
}


@pytest.mark.parametrize("title", INTERFACES)
def test_no_function_is_lost(runs, mpich_module, title):
    known = [version for version in NUMBERS if version <= mpich_module.version]
    assert len(runs(title).calls) >= NUMBERS[max(known)][title]
