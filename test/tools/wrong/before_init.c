/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The library ends the program in a call before MPI_Init. ranks: 1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int value = 0, size;
    char text[MPI_MAX_ERROR_STRING];

    MPI_Error_string(MPI_ERR_ARG, text, &size);
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);                             /* expect: invalid argument */
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
