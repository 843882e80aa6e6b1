/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* An exclusive lock orders accesses: a flag that is written under it is read under a shared lock. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, value = 1, flag = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window);
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_unlock(2, window);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
        MPI_Put(&value, 1, MPI_INT, 2, 1, 1, MPI_INT, window);
        MPI_Win_unlock(2, window);
    } else if (rank == 1) {
        do {
            MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window);
            MPI_Get(&flag, 1, MPI_INT, 2, 1, 1, MPI_INT, window);
            MPI_Win_unlock(2, window);
        } while (!flag);
        MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window);
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_unlock(2, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    /* all write under exclusive locks */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
