/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A duplicate here, a split there. ranks: 2 tool: timeout=3,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);                    /* either: collective mismatch */ /* expect: deadlock */
    else
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);            /* either: collective mismatch */ /* expect: deadlock */
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
