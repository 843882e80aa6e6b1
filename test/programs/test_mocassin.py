# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""MOCASSIN as Debian compiled it for its MPICH: the lines that a nebula emits, by the Monte Carlo method. Its data has a fixed
folder, which is one of a private mount namespace here; its random numbers are the same in each run."""

import re

import pytest

from questions import *     # noqa: F401, F403

pytestmark = [pytest.mark.hours]

PACKAGES = ["mocassin", "mocassin-data", "mocassin-benchmarks"]
WHAT = "emission lines of a nebula"
KNOWN = "(?!)"
SMALL = {"maxIterateMC": "2 100.", "nPhotons": "2000", "nx": "5", "ny": "5", "nz": "5"}
RANDOM = """
#include <stdint.h>
#include <stdlib.h>

void _gfortran_random_r4(float *number)
{
    static uint32_t state;

    if (state == 0)
        state = 1 + atoi(getenv("PMI_RANK"));
    state = state * 1664525u + 1013904223u;
    *number = (state >> 8) / 16777216.f;
}
"""


@pytest.fixture(scope="module")
def pairs(mpich_module, unpack, compare):
    root, variables = unpack(*PACKAGES)
    mpich, work = mpich_module, mpich_module.work
    with_data = ["unshare", "-m", "sh", "-c", f'mount --bind {root}/share /usr/share && exec "$@"', "sh"]
    if mpich.run(*with_data, "true").status != 0:
        pytest.skip("this user cannot mount a folder")
    (work / "input").mkdir()
    (work / "output").mkdir()
    for file in (root / "share/mocassin/benchmarks/gas/HII20").iterdir():
        text = re.sub(r"^autoPackets.*\n", "", file.read_text(), flags=re.M)
        (work / "input" / file.name).write_text(re.sub(r"^(\w+) .*", lambda line: f"{line[1]} {SMALL[line[1]]}" if line[1] in SMALL
                                                       else line[0], text, flags=re.M))

    def lines(_):
        """Wavelength and strength of each line, and the luminosity in H beta"""
        text = (work / "output/lineFlux.out").rename(work / "lines").read_text()
        return re.findall(r"\d+\.\d+(?:E[+-]\d+)?", text) + re.findall(r"Hbeta \[E36 erg/s\]: +(\S+)", text)[:1]

    return [compare(2, *with_data, root / "bin/mocassin", results=lines, name="mocassin", **variables,
                    LD_PRELOAD=mpich.library(RANDOM, name="random.c"))]
