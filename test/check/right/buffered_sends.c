/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Buffered sends with enough buffer, also one that is attached late, and to no process without any. ranks: 2 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, bytes, values[8] = {0}, others[8];
    void *buffer, *address;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bsend(values, 8, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Bsend_init(values, 8, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &request);
    MPI_Pack_size(8, MPI_INT, MPI_COMM_WORLD, &bytes);
    buffer = malloc(3 * (bytes + MPI_BSEND_OVERHEAD));
    for (int i = 0; i < 2; i++) {
        MPI_Buffer_attach(buffer, 3 * (bytes + MPI_BSEND_OVERHEAD));
        MPI_Bsend(values, 8, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Start(&request);
        MPI_Recv(others, 8, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(others, 8, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Buffer_detach(&address, &size);
    }
    MPI_Request_free(&request);
    free(buffer);
    MPI_Finalize();
    return 0;
}
