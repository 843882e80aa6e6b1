/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Assertions of windows that are true, each for its own epoch and process. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 1, got, *memory, targets[2], n = 0;
    MPI_Win window;
    MPI_Group all, group;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < 3; i++) {
        MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : MPI_MODE_NOSTORE, window);   /* differ */
        if (rank > 0)
            MPI_Put(&value, 1, MPI_INT, 3 - rank, 0, 1, MPI_INT, window);
        MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
        MPI_Put(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, window);               /* the next epoch */
        MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, window);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
        MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
        MPI_Win_unlock(rank, window);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < size; i++) {
        if (i != rank)
            targets[n++] = i;
    }
    MPI_Group_incl(all, n, targets, &group);
    for (int i = 0; i < 2; i++) {
        MPI_Win_post(group, i == 0 ? MPI_MODE_NOPUT : 0, window);
        MPI_Win_start(group, 0, window);
        MPI_Get(&got, 1, MPI_INT, targets[0], 0, 1, MPI_INT, window);
        MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
        if (i == 1)
            MPI_Put(&value, 1, MPI_INT, targets[1], 2 - (rank == 1), 1, MPI_INT, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
