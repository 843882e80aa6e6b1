/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Reductions and broadcasts do not order the accesses of processes that are not the root. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, sum;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Put(&rank, 1, MPI_INT, 0, 4, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Put(&rank, 1, MPI_INT, 0, 4, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
