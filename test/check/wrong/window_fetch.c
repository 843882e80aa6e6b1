/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A fetch and a put: what the fetch returns cannot order the fetch itself. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, old;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1)
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);           /* either: access conflict */
    if (rank == 2)
        MPI_Fetch_and_op(&rank, &old, MPI_INT, 0, 0, MPI_SUM, window);  /* either: access conflict */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
