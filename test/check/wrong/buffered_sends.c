/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Buffered sends without a buffer, or with one that is too small. ranks: 1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int data[100];
    static char buffer[4 * sizeof data];
    int size, value = 1;
    void *address;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Ibsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);                 /* expect: invalid argument */
    MPI_Buffer_attach(buffer, 200);
    MPI_Bsend(data, 100, MPI_INT, 0, 0, MPI_COMM_WORLD);                            /* expect: invalid argument */
    MPI_Buffer_detach(&address, &size);
    MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);                            /* expect: invalid argument */
    MPI_Bsend_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);             /* expect: invalid argument */
    MPI_Start(&request);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
