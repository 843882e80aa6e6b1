/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A process writes overlapping parts of a window: in an epoch of fences, and with a lock and no flush between.
 * ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, values[4] = {0};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(values, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
        MPI_Put(values, 4, MPI_INT, 1, 2, 4, MPI_INT, window);  /* expect: access conflict */
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Get(values, 4, MPI_INT, 1, 4, 4, MPI_INT, window);
        MPI_Accumulate(&rank, 1, MPI_INT, 1, 7, 1, MPI_INT, MPI_SUM, window);   /* expect: access conflict */
        MPI_Win_unlock(1, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
