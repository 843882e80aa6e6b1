// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: MPI_Recv: this member of the tool must be public and have the form   int MPI_Recv(qmpi::call<MPI_RECV_T> &call, void *buf,
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Recv(qmpi::call<MPI_SEND_T> &call) { return call(); }
};
QMPI_TOOL("wrong", Wrong)
