/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two communicators of the same processes are copied in an order that is not the same in all of them,
 * and a message with its own tag goes through each copy. */

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm parents[2], copies[2];
    MPI_Request requests[2];
    int rank, data = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
    for (int n = 0; n < 2; n++) {
        int i = rank == 0 ? n : 1 - n;
        MPI_Comm_idup(parents[i], &copies[i], &requests[i]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++) {
        if (rank == 0)
            MPI_Send(&data, 1, MPI_INT, 1, i, copies[i]);
        if (rank == 1)
            MPI_Recv(&data, 1, MPI_INT, 0, i, copies[i], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Comm_free(&copies[i]);
        MPI_Comm_free(&parents[i]);
    }
    MPI_Finalize();
    return 0;
}
