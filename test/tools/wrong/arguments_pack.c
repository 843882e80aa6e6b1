/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Data is packed and unpacked with arguments that MPI forbids; the library fails in the last call. ranks: 1 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int value = 1, position = 0;
    char packed[8];
    MPI_Aint end = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

    MPI_Pack(NULL, 1, MPI_INT, packed, 8, &position, MPI_COMM_WORLD);               /* expect: invalid argument */
    MPI_Pack(&value, 1, (MPI_Datatype) 0, packed, 8, &position, MPI_COMM_WORLD);    /* expect: invalid argument */
    MPI_Pack(&value, 1, MPI_INT, packed, 8, NULL, MPI_COMM_WORLD);                  /* expect: invalid argument */
    position = 5;
    MPI_Pack(&value, 1, MPI_INT, packed, 8, &position, MPI_COMM_WORLD);             /* expect: invalid argument */
    position = 0;
    MPI_Unpack(packed, 2, &position, &value, 1, MPI_INT, MPI_COMM_WORLD);           /* expect: invalid argument */
    position = 0;
    MPI_Unpack(packed, 8, &position, NULL, 1, MPI_INT, MPI_COMM_WORLD);             /* expect: invalid argument */
    MPI_Unpack_external("external32", packed, 8, &end, NULL, 1, MPI_INT);           /* expect: invalid argument */
    MPI_Pack(&value, 1, MPI_INT, NULL, 8, &position, MPI_COMM_WORLD);               /* expect: invalid argument */
    MPI_Finalize();
    return 0;
}
