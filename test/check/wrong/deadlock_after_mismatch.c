/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* After a mismatch that does no harm, operations that do not match never complete.
 * ranks: 2 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &value, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);    /* expect: collective mismatch */
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);                                                            /* expect: deadlock */
    else
        MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);                      /* expect: deadlock */
    MPI_Finalize();
    return 0;
}
