/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A persistent barrier is started twice by rank 0, and once by rank 1. ranks: 2 tool: timeout=1,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value;
    MPI_Request barrier;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
    MPI_Start(&barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Start(&barrier);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);                                       /* expect: deadlock */
    } else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);       /* expect: deadlock */
    MPI_Request_free(&barrier);
    MPI_Finalize();
    return 0;
}
