/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Both buffers are the same. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[8] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(values, 4, MPI_INT, 1 - rank, 0, values + 2, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,  /* expect: buffer overlap */
                 MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
