/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The library ends the program in a call after MPI_Finalize. ranks: 1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Datatype type;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Info_create(&info);
    MPI_Info_free(&info);
    MPI_Type_contiguous(2, MPI_INT, &type);                                         /* expect: invalid argument */
    return 0;
}
