/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* One process is in another collective operation. ranks: 2 tool: timeout=3,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);                            /* either: collective mismatch */ /* expect: deadlock */
    else
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);       /* either: collective mismatch */ /* expect: deadlock */
    MPI_Finalize();
    return 0;
}
