// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// A tool that prints the calls of MPI_Get_version, and has no destructor.

#include <qmpi.hpp>

#include <unistd.h>

namespace {

struct Childless : qmpi::tool<Childless> {
    static constexpr bool works_in_child = false;
    int calls = 0;

    int MPI_Get_version(qmpi::call<MPI_GET_VERSION_T> &call, int *version, int *)
    {
        const int result = call();
        *version = ++calls;
        return result;
    }
};

}  // namespace

QMPI_TOOL("childless", Childless)
