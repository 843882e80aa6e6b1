/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accesses to a process that is not in the group of MPI_Win_start. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, value = 1, got = 0, old, *memory;
    MPI_Win window;
    MPI_Group all, group;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &group);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, window);                        /* expect: access epoch */
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);                      /* expect: access epoch */
        MPI_Fetch_and_op(&value, &old, MPI_INT, 0, 2, MPI_SUM, window);             /* expect: access epoch */
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
