// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: the function has no argument of that role
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Send(qmpi::call<MPI_SEND_T> &call)
    {
        qmpi::get<qmpi::role::source>(call) = 0;
        return call();
    }
};
QMPI_TOOL("wrong", Wrong)
