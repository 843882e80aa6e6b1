// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: MPI_Barrier: this member of the tool must be public and have the form   int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call, MPI_Comm comm)
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Barrier(MPI_Comm) { return MPI_SUCCESS; }
};
QMPI_TOOL("wrong", Wrong)
