/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two processes lock two windows in two orders. ranks: 2 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[2] = {0, 0};
    MPI_Win windows[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        MPI_Win_create(&values[i], sizeof values[i], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows[rank]);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[rank]);
    MPI_Win_flush(0, windows[rank]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows[1 - rank]);              /* expect: deadlock */
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[1 - rank]);
    MPI_Win_unlock(0, windows[1 - rank]);
    MPI_Win_unlock(0, windows[rank]);
    for (int i = 0; i < 2; i++)
        MPI_Win_free(&windows[i]);
    MPI_Finalize();
    return 0;
}
