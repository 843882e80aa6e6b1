/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The groups of an intercommunicator do not agree on what the second one gets. ranks: 3 */
#include "../groups.h"

int main(int argc, char **argv)
{
    int rank, is_first, sent[2] = {0}, received[2];
    MPI_Comm both;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    is_first = rank == 0;
    both = two_groups(is_first, is_first ? 1 : 0);
    MPI_Allgather(sent, 1, MPI_INT, received, 1, is_first ? MPI_INT : MPI_FLOAT, both); /* expect: type mismatch */
    MPI_Comm_free(&both);
    MPI_Finalize();
    return 0;
}
