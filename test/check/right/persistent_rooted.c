/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Receives from any process: each message is sent after a persistent collective operation that brings its sender data of
 * the process that has got the one before. ranks: 3 tool: races */
#include <mpi.h>

static int rank;

static void receive_from(int sender)
{
    int value;

    if (rank == sender)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int value, values[3], from_0[3], sum;
    const int senders[] = {2, 1, 2, 1};
    MPI_Request requests[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank;
    MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Scatter_init(values, 1, MPI_INT, from_0, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Scan_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    MPI_Gather_init(&rank, 1, MPI_INT, values, 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
    receive_from(1);
    for (int i = 0; i < 4; i++) {
        MPI_Start(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        receive_from(senders[i]);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
    MPI_Finalize();
    return 0;
}
