// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// A tool that makes every reduction on a copy of the communicator, which it frees. No tool sees both.

#include <qmpi.hpp>

namespace {

struct Copies : qmpi::tool<Copies> {
    int MPI_Allreduce(qmpi::call<MPI_ALLREDUCE_T> &call, const void *in, void *out, int count,
                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
    {
        MPI_Comm copy = MPI_COMM_NULL;
        int result = QMPI_Comm_dup(comm, &copy);
        if (result != MPI_SUCCESS)
            return result;
        result = call(in, out, count, datatype, op, copy);
        QMPI_Comm_free(&copy);
        return result;
    }
};

}  // namespace

QMPI_TOOL("copies", Copies)
