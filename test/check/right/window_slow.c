/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Synchronization of windows waits longer than the timeout for a process that computes. ranks: 3 tool: timeout=1 */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, value = 0, first = 0, last = 2;
    MPI_Win window;
    MPI_Group world, origin, target;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &first, &origin);
    MPI_Group_incl(world, 1, &last, &target);
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == last)
        sleep(2);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    if (rank == first) {
        MPI_Win_start(target, 0, window);
        MPI_Put(&rank, 1, MPI_INT, last, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else if (rank == last) {
        sleep(2);
        MPI_Win_post(origin, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 1) {
        if (rank == last)
            usleep(300000);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
        if (rank == first)
            sleep(2);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
