/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A reduction of integers and of floating-point numbers. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[4] = {0}, sums[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(values, sums, 4, rank == 0 ? MPI_INT : MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);  /* expect: type mismatch */
    MPI_Finalize();
    return 0;
}
