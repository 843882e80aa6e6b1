/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A probe for a message that nobody sends. ranks: 2 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: deadlock */
    MPI_Barrier(MPI_COMM_WORLD);                                /* expect: deadlock */
    MPI_Finalize();
    return 0;
}
