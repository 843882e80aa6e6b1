/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Matched messages that arrive in another order than they are received in. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[8] = {0}, others[8] = {0};
    MPI_Message message;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(values, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(others, 8, MPI_FLOAT, 1, 1, MPI_COMM_WORLD, &requests[1]);
    } else {
        MPI_Message second;
        int found = 0;
        MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        while (!found)
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &second, MPI_STATUS_IGNORE);
        MPI_Imrecv(values, 8, MPI_FLOAT, &second, &requests[0]);
        MPI_Imrecv(others, 8, MPI_INT, &message, &requests[1]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
