/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Sends three numbers to itself; for tools of another base. */

#include <mpi.h>

int main(int argc, char **argv)
{
    enum { TAG = 7, COUNT = 3 };
    int out[COUNT] = { 1, 2, 3 }, in[COUNT] = { 0, 0, 0 }, rank, right;
    MPI_Request request;
    MPI_Comm comm;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Isend(out, COUNT, MPI_INT, rank, TAG, comm, &request);
    MPI_Recv(in, COUNT, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    right = in[COUNT - 1] == COUNT && status.MPI_TAG == TAG;
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return right ? 0 : 1;
}
