// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: MPI_Wtime: this member of the tool must be public and have the form   double MPI_Wtime(qmpi::call<MPI_WTIME_T> &call)
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Wtime(qmpi::call<MPI_WTIME_T> &call) { return static_cast<int>(call()); }
};
QMPI_TOOL("wrong", Wrong)
