/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two accesses to the same place in one epoch. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[4] = {0}, got;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 2, 1, MPI_INT, window);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, 2, 1, MPI_INT, window);                     /* expect: access conflict */
    MPI_Win_fence(0, window);
    MPI_Get(&got, 1, MPI_INT, 1 - rank, 2, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
