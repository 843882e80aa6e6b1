/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Nobody is the root. ranks: 2 */
#include "../groups.h"

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Comm both;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    both = two_groups(rank, 1 - rank);
    MPI_Bcast(&value, 1, MPI_INT, MPI_PROC_NULL, both); /* expect: collective mismatch */
    MPI_Comm_free(&both);
    MPI_Finalize();
    return 0;
}
