/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A nonblocking exchange in one buffer, which changes what it sends. tool: checksums */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, a;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    a = rank;
    MPI_Isendrecv_replace(&a, 1, MPI_INT, 1 - rank, 1, 1 - rank, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return a == 1 - rank ? 0 : 1;
}
