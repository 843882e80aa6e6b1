# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""NWChem as Debian compiled it for its MPICH: energy and forces of a molecule. It communicates by one-sided operations under
shared locks (ARMCI)."""

import re

import pytest

from questions import *     # noqa: F401, F403

pytestmark = [pytest.mark.hours]

PACKAGES = ["nwchem-mpich", "nwchem-data", "libscalapack-mpich2.2", "libblas3", "liblapack3", "libpython3.11"]
WHAT = "energy and forces of a molecule"
KNOWN = "leak MPI_Comm_create "
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


def numbers(text):
    """Coordinates and forces of each atom, and energies"""
    energies = re.findall(r"Total SCF energy = +(\S+)", text)
    atoms = re.findall(r"^ +\d+ [HO] +" + r"(-?\d+\.\d+) +" * 5 + r"(-?\d+\.\d+)$", text, re.M)
    assert energies and len(atoms) == 3, text
    return [number for atom in atoms for number in atom] + energies


@pytest.fixture(scope="module")
def pairs(mpich_module, unpack, compare):
    root, variables = unpack(*PACKAGES)
    (mpich_module.work / "water.nw").write_text(WATER)
    # With MPI_Win_allocate it fails on two processes, with Debian's own MPICH too (see doc/found.md).
    return [compare(2, root / "bin/nwchem.mpich", "water.nw", results=numbers, **variables, ARMCI_USE_WIN_ALLOCATE=0,
                    NWCHEM_BASIS_LIBRARY=f"{root}/share/nwchem/libraries/")]
