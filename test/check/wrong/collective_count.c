/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The root sends more than the others expect. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[10] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(values, rank == 0 ? 10 : 5, MPI_INT, 0, MPI_COMM_WORLD);  /* expect: type mismatch */
    MPI_Finalize();
    return 0;
}
