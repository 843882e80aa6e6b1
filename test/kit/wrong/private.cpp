// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: MPI_Barrier: this member of the tool must be public
#include <qmpi.hpp>

class Wrong : public qmpi::tool<Wrong> {
    int MPI_Barrier(qmpi::call<MPI_BARRIER_T> &call) { return call(); }
};
QMPI_TOOL("wrong", Wrong)
