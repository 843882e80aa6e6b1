/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The requests of a send and of a receive are freed; the program does not wait for them. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, early[20], late, own;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = rank;
    for (int i = 0; i < 20; i++) {
        MPI_Irecv(&early[i], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        if (rank == 0) {
            MPI_Send(&own, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Issend(&own, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
        } else {
            MPI_Recv(&late, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Issend(&own, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
