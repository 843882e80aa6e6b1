/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The data of a vector with gaps and a single number overlap. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, value = 0;
    MPI_Win window;
    MPI_Datatype apart;
    int both[2] = {1, 2};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Type_vector(2, 1, 3, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Put(both, 2, MPI_INT, 0, 1, 1, apart, window);              /* either: access conflict */
    if (rank == 2)
        MPI_Put(&rank, 1, MPI_INT, 0, 4, 1, MPI_INT, window);           /* either: access conflict */
    MPI_Win_fence(0, window);
    MPI_Type_free(&apart);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
