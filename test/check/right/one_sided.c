/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* All kinds of epochs. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *values, other, flag;
    MPI_Win window;
    int both[2], more[2];
    MPI_Datatype apart;
    MPI_Group world, group;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &values, &window);
    other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);

    MPI_Win_fence(0, window);
    MPI_Put(&rank, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Put(&rank, 1, MPI_INT, other, 1, 1, MPI_INT, window);
    MPI_Win_unlock(other, window);
    MPI_Win_lock_all(0, window);
    MPI_Rput(&rank, 1, MPI_INT, other, 2, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Accumulate(&rank, 1, MPI_INT, other, 3, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    /* in the gaps of each other */
    MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Put(&rank, 1, MPI_INT, other, 1, 1, MPI_INT, window);
    MPI_Get(both, 2, MPI_INT, other, 0, 1, apart, window);
    MPI_Get(more, 2, MPI_INT, other, 0, 1, apart, window);
    MPI_Win_unlock(other, window);
    MPI_Type_free(&apart);
    MPI_Win_post(group, 0, window);
    MPI_Win_start(group, 0, window);
    MPI_Put(&rank, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);

    /* locks of several processes, and of none */
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    MPI_Win_flush_local_all(window);
    MPI_Win_unlock(other, window);
    MPI_Win_flush(rank, window);
    MPI_Win_unlock(rank, window);
    MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window);
    MPI_Win_flush(MPI_PROC_NULL, window);
    MPI_Win_unlock(MPI_PROC_NULL, window);
    /* exposed while others are accessed */
    MPI_Win_post(group, 0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    MPI_Win_unlock(rank, window);
    MPI_Win_start(group, 0, window);
    MPI_Win_complete(window);
    do
        MPI_Win_test(window, &flag);
    while (!flag);
    /* fences with nothing between them */
    MPI_Win_fence(0, window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(&rank, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);

    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
