// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: C passes an optional argument of that type as int or double
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Pcontrol(qmpi::call<MPI_PCONTROL_T> &call, int, qmpi::varargs varargs)
    {
        return varargs.next<float>() > 0 ? call() : MPI_SUCCESS;
    }
};
QMPI_TOOL("wrong", Wrong)
