/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Blocks of the two processes of the other group lie in the same memory. ranks: 3 */
#include "../groups.h"

int main(int argc, char **argv)
{
    int rank, is_first, sent[4] = {0}, received[4], counts[2] = {2, 2}, displacements[2] = {0, 1};
    MPI_Comm both;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    is_first = rank == 0;
    both = two_groups(is_first, is_first ? 1 : 0);
    MPI_Gatherv(sent, 2, MPI_INT, received, counts, displacements, MPI_INT, is_first ? MPI_ROOT : 0, both);     /* expect: buffer overlap */
    MPI_Comm_free(&both);
    MPI_Finalize();
    return 0;
}
