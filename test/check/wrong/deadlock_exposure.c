/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* An access epoch and an exposure epoch that the other process never begins. ranks: 4 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0, partner;
    MPI_Win window;
    MPI_Group world, group;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    partner = rank ^ 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &partner, &group);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);    /* either: deadlock */
        MPI_Put(&rank, 1, MPI_INT, partner, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);           /* either: deadlock */
    } else if (rank == 2) {
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);               /* expect: deadlock */
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&window);                  /* expect: deadlock */
    MPI_Finalize();
    return 0;
}
