// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: call(...) takes all arguments of the function, or none
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Send(qmpi::call<MPI_SEND_T> &call) { return call(nullptr, 0); }
};
QMPI_TOOL("wrong", Wrong)
