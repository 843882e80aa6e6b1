/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Puts into windows of which the target has declared that there are none. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, value = 1, *memory;
    MPI_Win window;
    MPI_Group all, group;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : 0, window);
    if (rank == 1)
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);                      /* expect: access epoch */
    MPI_Win_fence(MPI_MODE_NOPUT, window);
    MPI_Accumulate(&value, 1, MPI_INT, other, 1, 1, MPI_INT, MPI_SUM, window);      /* expect: access epoch */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &group);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);                      /* expect: access epoch */
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(group, MPI_MODE_NOPUT, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
