/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A neighborhood collective does not order accesses of processes that are not neighbors. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, others[2];
    const int size = 3, period = 0;
    MPI_Win window;
    MPI_Comm line;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &line);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 2) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, others, 1, MPI_INT, line);
    if (rank == 0) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);           /* either: access conflict */
        MPI_Win_flush(0, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
