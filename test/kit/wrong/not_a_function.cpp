// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: MPI_Barrier: this member of the tool must be public
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Barrier = 0;
};
QMPI_TOOL("wrong", Wrong)
