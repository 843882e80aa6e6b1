/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The blocks of two processes have a place in common in the result. */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int data[4], all[8];
    const int counts[] = {3, 3}, places[] = {0, 2};
    int rank, root;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (root = 0; root < 2; root++)
        MPI_Gatherv(data, 3, MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD);   /* expect: buffer overlap */
    MPI_Finalize();
    return 0;
}
