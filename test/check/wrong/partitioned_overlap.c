/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A message is received into a partition that is ready; a partition that has not arrived is sent. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[4] = {0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(1, request);
        MPI_Recv(values + 2, 2, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);    /* expect: buffer overlap */
        MPI_Pready(0, request);
    } else {
        MPI_Precv_init(values, 2, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Send(values, 2, MPI_INT, 0, 6, MPI_COMM_WORLD);                         /* expect: buffer overlap */
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
