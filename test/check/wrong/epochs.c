/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Calls without their epoch, and epochs that begin inside another one. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, flag, *memory;
    MPI_Win window;
    MPI_Group world, group;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);

    MPI_Win_unlock(other, window);                                                  /* expect: access epoch */
    MPI_Win_unlock_all(window);                                                     /* expect: access epoch */
    MPI_Win_flush(other, window);                                                   /* expect: access epoch */
    MPI_Win_flush_all(window);                                                      /* expect: access epoch */
    MPI_Win_flush_local(other, window);                                             /* expect: access epoch */
    MPI_Win_flush_local_all(window);                                                /* expect: access epoch */
    MPI_Win_complete(window);                                                       /* expect: access epoch */
    MPI_Win_wait(window);                                                           /* expect: access epoch */
    MPI_Win_test(window, &flag);                                                    /* expect: access epoch */

    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);                                /* expect: access epoch */
    MPI_Win_lock_all(0, window);                                                    /* expect: access epoch */
    MPI_Win_start(group, 0, window);                                                /* expect: access epoch */
    MPI_Win_unlock(other, window);
    MPI_Win_lock_all(0, window);
    MPI_Win_lock_all(0, window);                                                    /* expect: access epoch */
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);                                /* expect: access epoch */
    MPI_Win_unlock_all(window);

    MPI_Win_post(group, 0, window);
    MPI_Win_post(group, 0, window);                                                 /* expect: access epoch */
    MPI_Win_start(group, 0, window);
    MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);                                /* expect: access epoch */
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_wait(window);                                                           /* expect: access epoch */

    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
