// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: use of deleted function
#include <qmpi.hpp>
#include <qmpi/requests.hpp>

struct Wrong : qmpi::tool<Wrong> {
    int MPI_Wait(qmpi::call<MPI_WAIT_T> &call)
    {
        return qmpi::complete(call, requests, [](int, const MPI_Status *, qmpi::Outcome) {});
    }
    qmpi::Requests<int> requests; /* qmpi::forever<...>: threads may be in a call at the end */
};
QMPI_TOOL("wrong", Wrong)
