/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Reductions order accesses of the others before those of the root, broadcasts the other way; both together, all. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, sum;
    MPI_Win window;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Ibcast(&sum, 1, MPI_INT, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Put(&sum, 1, MPI_INT, 0, 3 + rank, 1, MPI_INT, window);
    if (rank == 1)
        MPI_Put(&sum, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
