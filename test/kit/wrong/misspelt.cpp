// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: the tool intercepts nothing: no member has the name of an MPI function
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Sned(qmpi::call<MPI_SEND_T> &call) { return call(); }
};
QMPI_TOOL("wrong", Wrong)
