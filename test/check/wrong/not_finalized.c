/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The process ends without MPI_Finalize. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);                 /* expect: not finalized */
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
