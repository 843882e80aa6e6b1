/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accesses of a process that are not complete at the target when the next one is made. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, values[4] = {0}, got[4];
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 0) {
        /* perhaps before the tool knows the window of the target */
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Put(values, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
        MPI_Put(values, 4, MPI_INT, 1, 2, 4, MPI_INT, window);          /* expect: access conflict */
        MPI_Win_unlock(1, window);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(values, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
        MPI_Get(got, 4, MPI_INT, 1, 3, 4, MPI_INT, window);             /* expect: access conflict */
        MPI_Win_unlock(1, window);
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
        MPI_Put(values, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush_local(1, window);
        MPI_Get(got, 1, MPI_INT, 1, 0, 1, MPI_INT, window);             /* expect: access conflict */
        MPI_Win_unlock(1, window);
        MPI_Win_lock_all(0, window);
        MPI_Put(values, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        MPI_Get(got, 1, MPI_INT, 1, 0, 1, MPI_INT, window);             /* expect: access conflict */
        MPI_Win_unlock_all(window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
