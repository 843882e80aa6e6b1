// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: MPI_Send: this member of the tool must be public and have the form   int MPI_Send(qmpi::call<MPI_SEND_T> &call, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Send(qmpi::call<MPI_SEND_T> &call, void *, int, MPI_Datatype, int, int, MPI_Comm)
    {
        return call();
    }
};
QMPI_TOOL("wrong", Wrong)
