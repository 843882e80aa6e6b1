/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* One process has one fence more. ranks: 2 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Win_fence(0, window);   /* either: collective mismatch */
    MPI_Win_free(&window);          /* either: collective mismatch */ /* expect: deadlock */
    MPI_Finalize();                 /* expect: deadlock */
    return 0;
}
