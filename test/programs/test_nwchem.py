# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""NWChem as Debian compiled it for its MPICH: energy and forces of a molecule without and with tools, one of them a PMPI
tool. It communicates by one-sided operations under shared locks (ARMCI)."""

import re

import pytest

pytestmark = [pytest.mark.hours]

PACKAGES = ["nwchem-mpich", "nwchem-data", "libscalapack-mpich2.2", "libblas3", "liblapack3", "libpython3.11"]
RANKS = 2
WATER = """
start water
geometry units angstrom
 O 0.0  0.0     0.1173
 H 0.0  0.7572 -0.4692
 H 0.0 -0.7572 -0.4692
end
basis
 * library 6-31g*
end
task scf gradient
"""
ACCUMULATES = """
#include <mpi.h>
#include <stdio.h>

static int calls;

int MPI_Accumulate(const void *origin, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win window)
{
    calls++;
    return PMPI_Accumulate(origin, count, type, target, place, target_count, target_type, op, window);
}

int MPI_Finalize(void)
{
    int sum = 0, rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(&calls, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        FILE *file = fopen("accumulates", "w");
        fprintf(file, "%d", sum);
        fclose(file);
    }
    return PMPI_Finalize();
}
"""


@pytest.fixture(scope="module")
def nwchem(unpack):
    """(program, variables)"""
    root, variables = unpack(*PACKAGES)
    # With MPI_Win_allocate it fails on two processes, with Debian's own MPICH too (see doc/found.md).
    return root / "bin/nwchem.mpich", {**variables, "ARMCI_USE_WIN_ALLOCATE": "0",
                                       "NWCHEM_BASIS_LIBRARY": f"{root}/share/nwchem/libraries/"}


def numbers(text):
    """Energies, and coordinates and forces of each atom"""
    energies = re.findall(r"Total SCF energy = +(\S+)", text)
    atoms = re.findall(r"^ +\d+ [HO] +" + r"(-?\d+\.\d+) +" * 5 + r"(-?\d+\.\d+)$", text, re.M)
    assert energies and len(atoms) == 3, text
    return energies, atoms


def test_numbers_are_those_without_tools(mpich, nwchem):
    program, variables = nwchem
    (mpich.work / "water.nw").write_text(WATER)
    member = mpich.library(ACCUMULATES, name="libaccumulates.c")
    chain = f"profile(out=p),pmpi={member},check(out=c),messages(out=m)"
    results = [mpich.mpiexec(RANKS, program, "water.nw", tools=tools, seconds=300, **variables) for tools in ("", chain)]
    assert [result.status for result in results] == [0, 0], results
    assert numbers(results[0].out) == numbers(results[1].out)
    calls = {line["name"]: line["calls"] for line in mpich.load("p.json")["functions"]}
    assert int((mpich.work / "accumulates").read_text()) == calls["MPI_Accumulate"] > 0
    findings = [(one["kind"], one["function"]) for one in mpich.load("c.json")["findings"]]
    assert findings == [("leak", "MPI_Comm_create")]
