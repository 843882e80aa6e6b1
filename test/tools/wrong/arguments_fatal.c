/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The library ends the program in the call. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int value = 0;

    MPI_Init(&argc, &argv);
    MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD);                               /* expect: invalid argument */
    MPI_Finalize();
    return 0;
}
