/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Wildcards, cancelled receives, probes, shorter messages, other types of the same signature. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[8] = {0}, is_there;
    MPI_Request requests[4];
    MPI_Message message;
    MPI_Status status;
    MPI_Datatype pair, pairs;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_vector(2, 1, 2, pair, &pairs);
    MPI_Type_commit(&pairs);
    MPI_Type_free(&pair);

    if (rank == 0) {
        /* cancelled before anything came: the message is for the next one */
        MPI_Irecv(values, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Cancel(&requests[0]);
        MPI_Wait(&requests[0], &status);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Recv(values, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        /* in whatever order they come */
        for (int i = 0; i < 4; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(values, 1, pairs, &message, MPI_STATUS_IGNORE);
        do
            MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &is_there, &status);
        while (!is_there);
        MPI_Recv(values, 8, MPI_BYTE, status.MPI_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(values, 3, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(values, 3, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(values, 1, MPI_INT, 0, 10 + rank, MPI_COMM_WORLD);
        MPI_Send(values, 1, MPI_INT, 0, 20 + rank, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 2) {
            MPI_Send(values, 1, pairs, 0, 5, MPI_COMM_WORLD);
            MPI_Send(values, 2, MPI_INT, 0, 6, MPI_COMM_WORLD);
            MPI_Isend(values, 3, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[0]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
    }
    MPI_Type_free(&pairs);
    MPI_Finalize();
    return 0;
}
