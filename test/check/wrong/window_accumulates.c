/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accumulates of elements that are not the same: of other types by one process, and displaced by a part of an
 * element. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, data[4] = {1, 1, 1, 1};
    float other[4] = {1, 1, 1, 1};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(40, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Accumulate(other, 4, MPI_FLOAT, 1, 0, 4, MPI_FLOAT, MPI_SUM, window);
        MPI_Accumulate(data, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_SUM, window);        /* expect: access conflict */
    }
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Accumulate(data, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_SUM, window);
        MPI_Accumulate(data, 4, MPI_INT, 1, 4, 4, MPI_INT, MPI_SUM, window);        /* the same elements */
        MPI_Accumulate(data, 4, MPI_INT, 1, 4, 4, MPI_INT, MPI_MAX, window);
    }
    MPI_Win_fence(0, window);
    if (rank != 1)
        MPI_Accumulate(data, 4, MPI_INT, 1, rank > 0 ? 1 : 0, 4, MPI_INT, MPI_SUM, window); /* expect: access conflict */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
