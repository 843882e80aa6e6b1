/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The request of a pending receive is freed; that message and later ones are compared. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value, late = 0;
    float fraction = 0;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);   /* expect: type mismatch */
        MPI_Request_free(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Send(&fraction, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&fraction, 1, MPI_FLOAT, 0, 1, MPI_COMM_WORLD);
    } else
        MPI_Recv(&late, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: type mismatch */
    MPI_Finalize();
    return 0;
}
