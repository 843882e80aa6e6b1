/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A receive with a tag that nobody sends. ranks: 2 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: deadlock */
    else
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);                         /* expect: possible deadlock */
    MPI_Barrier(MPI_COMM_WORLD);                                                    /* expect: deadlock */
    MPI_Finalize();
    return 0;
}
