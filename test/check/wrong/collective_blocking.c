/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A nonblocking operation does not match a blocking one. ranks: 2 tool: timeout=3,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);     /* either: collective mismatch */
        MPI_Wait(&request, MPI_STATUS_IGNORE);      /* expect: deadlock */
    } else
        MPI_Barrier(MPI_COMM_WORLD);                /* either: collective mismatch */ /* expect: deadlock */
    MPI_Finalize();
    return 0;
}
