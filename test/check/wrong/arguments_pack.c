/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Data is packed and unpacked with arguments that MPI forbids. ranks: 1 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int value = 1, position = 0;
    char packed[16];    /* more than the calls are told: the library may write there */

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

    MPI_Pack(&value, 1, (MPI_Datatype) 0, packed, 8, &position, MPI_COMM_WORLD);    /* expect: invalid argument */
    MPI_Pack(&value, 1, MPI_INT, packed, 8, NULL, MPI_COMM_WORLD);                  /* expect: invalid argument */
    position = 5;
    MPI_Pack(&value, 1, MPI_INT, packed, 8, &position, MPI_COMM_WORLD);             /* expect: invalid argument */
    position = 0;
    MPI_Unpack(packed, 2, &position, &value, 1, MPI_INT, MPI_COMM_WORLD);           /* expect: invalid argument */
    MPI_Finalize();
    return 0;
}
