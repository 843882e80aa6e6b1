/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The root takes less than the processes of the other group give. ranks: 4 */
#include "../groups.h"

int main(int argc, char **argv)
{
    int rank, group, root, sent[3] = {0}, received[20];
    MPI_Comm both;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    group = rank % 2;
    both = two_groups(group, 1 - group);
    root = rank == 3 ? MPI_ROOT : group == 1 ? MPI_PROC_NULL : 1;
    MPI_Gather(sent, 3, MPI_INT, received, 2, MPI_INT, root, both);     /* expect: type mismatch */
    MPI_Comm_free(&both);
    MPI_Finalize();
    return 0;
}
