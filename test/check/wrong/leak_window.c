/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A window is not freed. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    int values[4] = {0};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(values, sizeof values, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);   /* expect: leak */
    MPI_Finalize();
    return 0;
}
