# Copyright (C) by the QMPI for MPICH developers
#     See COPYRIGHT in top-level directory

"""Loads the MPI library as an interpreter does, for itself alone, and asks for the rank: interpreter.py LIBMPI"""

import ctypes
import sys

WORLD = 0x44000000      # MPI_COMM_WORLD of MPICH

mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.DEFAULT_MODE)
rank = ctypes.c_int(-1)
mpi.MPI_Init(None, None)
print("started", flush=True)
mpi.MPI_Comm_rank(WORLD, ctypes.byref(rank))
mpi.MPI_Finalize()
sys.exit(rank.value != 0)
