/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A group has two roots. ranks: 3 */
#include "../groups.h"

int main(int argc, char **argv)
{
    int rank, is_first, value = 0;
    MPI_Comm both;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    is_first = rank == 0;
    both = two_groups(is_first, is_first ? 1 : 0);
    MPI_Bcast(&value, 1, MPI_INT, is_first ? 0 : MPI_ROOT, both);       /* expect: collective mismatch */
    MPI_Comm_free(&both);
    MPI_Finalize();
    return 0;
}
