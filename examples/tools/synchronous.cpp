/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Replaces an operation: sends complete only when they are received. A program that deadlocks with
 * this tool relies on buffers of the library. */

#include <qmpi.hpp>

namespace {

struct Synchronous : qmpi::tool<Synchronous> {
    static constexpr const char *description = "makes sends synchronous";

    int MPI_Send(qmpi::call<MPI_SEND_T> &call, const void *buffer, int count, MPI_Datatype datatype,
                 int destination, int tag, MPI_Comm comm)
    {
        /* The tools that follow see MPI_Ssend, at the call site of the program. */
        return call.next<MPI_SSEND_T>(buffer, count, datatype, destination, tag, comm);
    }

    int MPI_Isend(qmpi::call<MPI_ISEND_T> &call, const void *buffer, int count,
                  MPI_Datatype datatype, int destination, int tag, MPI_Comm comm,
                  MPI_Request *request)
    {
        return call.next<MPI_ISSEND_T>(buffer, count, datatype, destination, tag, comm, request);
    }
};

}  // namespace

QMPI_TOOL("synchronous", Synchronous)
