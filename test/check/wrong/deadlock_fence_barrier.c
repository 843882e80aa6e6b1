/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A fence and a barrier wait for each other. ranks: 2 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0)
        MPI_Win_fence(0, window);       /* expect: deadlock */
    else
        MPI_Barrier(MPI_COMM_WORLD);    /* expect: deadlock */
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
