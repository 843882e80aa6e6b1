/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A receive writes to what is still being sent. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    int values[8] = {0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isend(values, 8, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(values, 8, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: buffer overlap */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
