// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: declare a tool as  struct Name : qmpi::tool<Name>
#include <qmpi.hpp>

struct Wrong {
    int MPI_Send(qmpi::call<MPI_SEND_T> &call) { return call(); }
};
QMPI_TOOL("wrong", Wrong)
