# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Tools and programs of the MPI ABI (mpi_abi.h, libmpi_abi): what tools see, reports as on libmpi for the same program,
and tools of the wrong ABI."""

import collections
import json
import re
from pathlib import Path

import pytest

from check import programs
from check.programs import reported
from messages.test_messages import expectations, moved
from sites import expected_sites, found_sites, functions, numbers
from tables import rows

HERE = Path(__file__).resolve().parent
COMMON = HERE.parent / "common"
ROOT = HERE.parents[1]
EXPECTED_CALLS = COMMON / "expected_calls.c"


# ---- what a tool sees ----

PROGRAM = """
#include <mpi.h>
#include <stdio.h>

int main(void)
{
    int rank, data[3] = { 0 };
    MPI_Status status;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Send(data, 3, MPI_INT, 0, 7, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        printf("program: from %d tag %d\\n", status.MPI_SOURCE, status.MPI_TAG);
    }
    MPI_Finalize();
    return 0;
}
"""

LOOK = """
    int size = 0, number = 0;
    QMPI_Type_size(type, &size);
    QMPI_Get_count(status, type, &number);
    printf("tool: from %d tag %d, %d of %d bytes%s%s\\n", status->MPI_SOURCE, status->MPI_TAG, number, size,
           comm == MPI_COMM_WORLD ? ", world" : "", type == MPI_INT ? ", int" : "");
    return code;
"""

IN_C = """
#include <mpi.h>
#include <mpi_qmpi.h>
#include <stdio.h>

static int receive(MPI_Context context, int tool_id, void *buf, int count, MPI_Datatype type, int source, int tag,
                   MPI_Comm comm, MPI_Status *status)
{
    void (*next) (void);
    int next_id;
    MPI_Get_next_tool_function(tool_id, MPI_RECV_T, &next, &next_id);
    int code = ((MPI_Recv_t *) next) (context, next_id, buf, count, type, source, tag, comm, status);
""" + LOOK + """
}

static void init(int tool_id)
{
    MPI_Register_tool_function(tool_id, MPI_RECV_T, (void (*)(void)) receive);
}

static void __attribute__((constructor)) load(void)
{
    MPI_Register_tool_name("look", init);
}
"""

IN_CPP = """
#include <qmpi.hpp>

struct Look : qmpi::tool<Look> {
    int MPI_Recv(qmpi::call<MPI_RECV_T> &call, void *, int, MPI_Datatype type, int, int, MPI_Comm comm, MPI_Status *status)
    {
        const int code = call();
""" + LOOK + """
    }
};

QMPI_TOOL("look", Look)
"""

SOURCES = {"C": (IN_C, "look.c", []), "C++": (IN_CPP, "look.cpp", ["-std=c++17"])}


def look(installation, language):
    text, name, options = SOURCES[language]
    return installation.library(text, *options, name=name)


@pytest.mark.parametrize("language", SOURCES)
def test_tool_sees_handles_and_status_of_the_abi(abi, language):
    result = abi.mpiexec(2, abi.program(PROGRAM, name="receive.c"), tools=look(abi, language))
    assert (result.status, result.out.splitlines()) == (
        0, ["tool: from 1 tag 7, 3 of 4 bytes, world, int", "program: from 1 tag 7"]), result


# ---- the wrong ABI ----

REFUSED = {"abi": "the tool '{}' was compiled for the ABI of MPICH (mpi.h); this library has the MPI ABI (mpi_abi.h)",
           "mpich": "the tool '{}' was compiled for the MPI ABI (mpi_abi.h); this library has the ABI of MPICH (mpi.h)"}


@pytest.mark.parametrize("library", REFUSED)
@pytest.mark.parametrize("tool", ["count", *SOURCES])
def test_tool_of_the_wrong_abi_is_refused_by_name(mpich, abi, library, tool):
    installation, other = (abi, mpich) if library == "abi" else (mpich, abi)
    name = "count" if tool == "count" else "look"
    path = other.tools / "libqmpi_count.so" if tool == "count" else look(other, tool)
    result = installation.mpiexec(1, installation.program(PROGRAM, name="receive.c"), tools=path)
    assert result.status != 0 and "program:" not in result.out, result
    assert result.err.count(f"tool list: {REFUSED[library].format(name)}\n") == 1, result


# ---- the shipped tools ----

def test_every_tool_but_pmpi_is_installed_for_the_abi(mpich, abi):
    ours, theirs = ({path.name for path in folder.glob("lib*.so")} for folder in (abi.tools, mpich.tools))
    assert ours == theirs - {"libqmpi_pmpi.so"} and "libqmpi_count.so" in ours


@pytest.fixture(scope="module")
def both(mpich_module, abi_module):
    """Run a program on libmpi and on libmpi_abi; {out} in the tool list is a name for files. Gives both results."""
    def both(ranks, source, tools, *options):
        results = []
        for name, installation in (("mpich", mpich_module), ("abi", abi_module)):
            program = installation.program(source, "-D_DEFAULT_SOURCE", *options)
            result = installation.mpiexec(ranks, program, tools=tools.format(out=f"{source.stem}-{name}"))
            assert result.status == 0, result
            results.append(result)
        return results
    return both


@pytest.fixture(scope="module")
def reports(mpich_module, both):
    """The same, with the JSON files."""
    def reports(ranks, source, tools, *options):
        results = both(ranks, source, tools, *options)
        return results, [mpich_module.load(f"{source.stem}-{name}.json") for name in ("mpich", "abi")]
    return reports


def test_demonstration_has_the_tables_of_libmpi(both):
    mpich, abi = both(2, ROOT / "examples/qmpi/halo.c", "count,bcast,count", "-lm")
    assert abi.out.splitlines()[-1] == "result correct", abi
    above, below = rows(abi.err, 1), rows(abi.err, 2)
    assert (above, below) == (rows(mpich.err, 1), rows(mpich.err, 2))
    assert "MPI_Bcast" in above and "MPI_Send" in below and "MPI_Bcast" not in below


def test_count_has_the_bytes_of_libmpi(both):
    mpich, abi = both(3, HERE.parent / "demo/bytes.c", "count,count", "-std=c99")
    assert rows(abi.err, 1) == rows(mpich.err, 1) == rows(abi.err, 2) and len(rows(abi.err, 1)) >= 60


def test_profile_has_the_call_sites_of_libmpi(reports):
    (_, abi), (ours, theirs) = reports(3, COMMON / "sites.c", "profile(out={out}.json)", EXPECTED_CALLS, "-pthread")
    wanted = expected_sites(abi.out)
    assert len(wanted) > 5 and found_sites(theirs, wanted) == wanted
    assert ({name: numbers(line) for name, line in functions(theirs).items()} ==
            {name: numbers(line) for name, line in functions(ours).items()})


def test_messages_have_the_pairs_that_the_program_expects(reports):
    (_, abi), (ours, theirs) = reports(4, COMMON / "patterns.c", "messages(out={out}.json)", EXPECTED_CALLS)
    phases = {(phase, kind): pairs for phase, (kind, _, pairs) in expectations(abi.out).items() if kind != "one-sided"}
    assert len(phases) >= 60
    for side in ("sent", "received"):
        found = moved(theirs, side)
        assert {phase: found.get(phase, {}) for phase in phases} == phases
        assert found == moved(ours, side)


def test_trace_has_the_calls_and_messages_of_libmpi(reports):
    """But for functions that poll or wait: their number depends on time."""
    _, traces = reports(4, HERE.parent / "trace/messages.c", "trace(out={out},formats=json)")
    ours, theirs = (collections.Counter((event["ph"], event["pid"], event["name"], event.get("args", {}).get("bytes"))
                                        for event in trace["traceEvents"]
                                        if not re.search("Test|probe|Wait", event["name"])) for trace in traces)
    assert theirs == ours and len(ours) > 100


WRONG = ["collective_operation", "collective_type", "deadlock_ring", "freed_communicator", "freed_datatype", "leak_file",
         "leak_window", "leaks", "message_struct", "missing_wait", "overlap_receives", "put_twice", "truncation_any"]
RIGHT = ["messages", "one_sided", "requests", "sessions"]


@pytest.fixture
def check(abi):
    """Run a program under check."""
    def check(program, arguments, **keywords):
        return abi.mpiexec(int(program.option("ranks", "2")), abi.program(program.path, "-pthread"), *program.words,
                           tools=f"check({program.option('tool', 'timeout=5')}{arguments})", **keywords)
    return check


@pytest.mark.parametrize("name", WRONG)
def test_check_finds_the_errors_that_a_program_marks(check, name):
    program = programs.WRONG[name]
    result = check(program, "", seconds=20, may_time_out=True)
    found, must = program.printed(result), program.markers("expect")
    assert found and must <= found <= must | program.markers("either"), result


@pytest.mark.parametrize("name", RIGHT)
def test_check_finds_nothing_in_a_correct_program(abi, check, name):
    result = check(programs.RIGHT[name], ",out=right.json")
    # a process without a world adds its number to the name
    reports = list(abi.work.glob("right*.json"))
    assert result.status == 0 and reports and not any(reported(path) for path in reports), result


# ---- qmpi_info ----

@pytest.mark.parametrize("command", ["qmpi_info", "qmpi_info_abi"])
def test_info_shows_for_which_abi_each_tool_is(abi, command):
    listed = json.loads(abi.run(command, "--json").out)
    found = collections.Counter((tool["name"], tool["abi"], Path(tool["file"]).parent.name) for tool in listed)
    assert not [tool for tool in listed if "fault" in tool or not tool["description"]]
    names = {path.stem.removeprefix("libqmpi_") for path in abi.tools.glob("lib*.so")}
    assert found == collections.Counter([(name, "MPI", "tools_abi") for name in names] +
                                        [(name, "MPICH", "tools") for name in {*names, "pmpi"}])


def test_info_explains_lists_for_the_abi(abi):
    result = abi.run("qmpi_info_abi", "count,bcast", "-f", "MPI_Bcast")
    assert (result.status, result.out.splitlines()[-1]) == (0, "MPI_Bcast: 1 count, 2 bcast, library"), result
    assert f"file          {abi.tools}/libqmpi_count.so" in result.out, result
