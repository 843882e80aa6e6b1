# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""The examples in the manual page of check: each wrong one has a finding of its kind and no other, each right one has
none."""

import re
from pathlib import Path

import pytest

MANUAL = Path(__file__).resolve().parents[2] / "src/tools/man/qmpi-check.7"
PROGRAM = """#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, other, i, a = 1, b = 2, n = 4, data[8] = {0}, more[8] = {0}, *memory;
    float x = 0;
    MPI_Comm comm = MPI_COMM_WORLD, copy, same;
    MPI_Request request, requests[2];
    MPI_Status status;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    other = 1 - rank;
    (void) i, (void) a, (void) b, (void) n, (void) data, (void) more, (void) x, (void) copy, (void) same, (void) other;
    (void) request, (void) requests, (void) status, (void) memory, (void) window;
    /* example */
    MPI_Finalize();
    return 0;
}
"""
ALLOCATE = "    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window);\n"
FREE = "    MPI_Win_free(&window);\n"
ARGUMENTS = {"buffer changed": ",checksums", "message race": ",races", "deadlock": ",timeout=1,deadlock=abort"}


def examples():
    """{kind: [wrong, right]} of the manual page, where each example is a diff of the two."""
    text = MANUAL.read_text()
    findings = text[text.index(".Sh FINDINGS"):]
    items = re.findall(r"^\.It Sy ([a-z ]+) Pq Cm \w+\n(.*?)(?=^\.It |^\.El$)", findings, re.M | re.S)
    found = {}
    for kind, item in items:
        [diff] = re.findall(r"^\.Bd -literal\n(.*?)^\.Ed$", item, re.M | re.S)
        found[kind] = ["".join(line[1:] + "\n" for line in diff.splitlines() if line[0] in marks) for marks in (" -", " +")]
    return found


EXAMPLES = examples()


def kinds_found(mpich, kind, number):
    """Kinds that check finds in a program with the example, and the lines of the example in which it finds them."""
    example = EXAMPLES[kind][number]
    begin = PROGRAM.splitlines().index("    /* example */") + 1
    before, after = (ALLOCATE, FREE) if "window" in example else ("", "")
    begin += before.count("\n")
    text = PROGRAM.replace("    /* example */\n", before + example + after)
    if "MPI_Init(" in example:      # all of the program
        begin, text = 3, f"#include <mpi.h>\nint main(int argc, char **argv)\n{{\n{example}}}\n"
    program = mpich.program(text, "-fopenmp", name="example.c")
    result = mpich.mpiexec(3 if kind == "message race" else 2, program, tools=f"check(out=example{ARGUMENTS.get(kind, '')})", seconds=60,
                           may_time_out=True)
    found = mpich.load("example.json")["findings"]
    lines = [int(one["site"].split(":")[1]) - begin for one in found]
    assert all(0 <= line < example.count("\n") for line in lines), result
    return {one["kind"] for one in found}


def test_every_kind_has_an_example():
    source = (MANUAL.parents[1] / "check/findings.hpp").read_text()
    names = re.search(r"kind_names\[\] = \{(.*?)\};", source, re.S).group(1)
    assert list(EXAMPLES) == re.findall(r'\{"([a-z ]+)", "', names)
    assert all(wrong != right for wrong, right in EXAMPLES.values())


def test_page_names_the_argument_of_each_kind():
    source = (MANUAL.parents[1] / "check/findings.hpp").read_text()
    arguments = dict(re.findall(r'\{"([a-z ]+)", "(\w+)"', source))
    assert dict(re.findall(r"^\.It Sy ([a-z ]+) Pq Cm (\w+)$", MANUAL.read_text(), re.M)) == arguments


@pytest.mark.parametrize("kind", EXAMPLES)
def test_wrong_example_has_a_finding_of_its_kind(mpich, kind):
    assert kinds_found(mpich, kind, 0) == {kind}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_right_example_has_no_finding(mpich, kind):
    assert kinds_found(mpich, kind, 1) == set()
