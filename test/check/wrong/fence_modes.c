/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A fence with MPI_MODE_NOPRECEDE after an access, and operations with a request in the epoch of a fence. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got, values[4] = {0};
    MPI_Win window;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);                                      /* expect: access epoch */
    if (MPI_Rget(&got, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, window, &request) == MPI_SUCCESS)   /* expect: access epoch */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
