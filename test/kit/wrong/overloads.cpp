// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: MPI_Barrier: this member of the tool must be public
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Barrier(int) { return MPI_SUCCESS; }
    int MPI_Barrier(int, int) { return MPI_SUCCESS; }
};
QMPI_TOOL("wrong", Wrong)
