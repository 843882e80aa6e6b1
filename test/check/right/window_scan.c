/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Prefix reductions order accesses of lower ranks before those of higher ranks, also on a communicator with another
 * order of the processes. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, sum;
    MPI_Win window;
    MPI_Comm reversed;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Exscan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Iscan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, reversed);
    if (rank == 0) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&reversed);
    MPI_Finalize();
    return 0;
}
