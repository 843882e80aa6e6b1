/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The root takes less than the others give. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[3] = {0}, all[30];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Gather(values, 3, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD); /* expect: type mismatch */
    MPI_Finalize();
    return 0;
}
