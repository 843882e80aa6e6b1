/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Matched messages that are received in time, also after other messages and with requests. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, data = 1, flag;
    MPI_Message message, other;
    MPI_Request request, requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        if (rank == 1) {
            MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Isend(&data, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[0]);
            MPI_Issend(&data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[1]);
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Mprobe(1, 3, MPI_COMM_WORLD, &other, MPI_STATUS_IGNORE);
            for (flag = 0; !flag;)
                MPI_Improbe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
            MPI_Mrecv(&flag, 1, MPI_INT, &other, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
