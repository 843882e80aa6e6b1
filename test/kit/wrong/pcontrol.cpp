// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: MPI_Pcontrol: this member of the tool must be public and have the form   int MPI_Pcontrol(qmpi::call<MPI_PCONTROL_T> &call, const int level, qmpi::varargs varargs)
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Pcontrol(qmpi::call<MPI_PCONTROL_T> &, int) { return MPI_SUCCESS; }
};
QMPI_TOOL("wrong", Wrong)
