// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: the tool's members with names of MPI functions are not those of its set intercepts
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    static constexpr qmpi::function_set intercepts{MPI_SEND_T, MPI_ISEND_T};
    int MPI_Send(qmpi::call<MPI_SEND_T> &call) { return call(); }
    int MPI_Isned(qmpi::call<MPI_ISEND_T> &call) { return call(); }
};
QMPI_TOOL("wrong", Wrong)
