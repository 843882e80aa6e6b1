# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""What MPICH's test suite needs for the languages other than C, if its configure is not run by MPICH's."""

import re

# The suite passes buffers of several types to one procedure, an error for gfortran.
OPTIONS = [f"{name}=-fallow-argument-mismatch" for name in ("FFLAGS", "FCFLAGS")]
ONLY_C = ["--disable-fortran", "--disable-cxx"]


def enable_f08(build):
    """Change build/config.status, which must be run then: configure itself finds mpi_f08 only inside of MPICH's."""
    answers = build / "config.status"
    text = answers.read_text(errors="surrogateescape")
    for name, value in (("f08dir", "f08"), ("HAS_F08_TRUE", ""), ("HAS_F08_FALSE", "#")):
        text = re.sub(f'^S\\["{name}"\\]=.*$', f'S["{name}"]="{value}"', text, flags=re.M)
    answers.write_text(text, errors="surrogateescape")
