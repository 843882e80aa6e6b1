/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The buffer is written to while it is being sent. ranks: 2 tool: checksums */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    int value = 1, other;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Issend(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);          /* expect: buffer changed */
    value = 5;
    MPI_Recv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
