/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Partitioned operations whose other side is never started: it is not made, it is an ordinary receive, or each
 * process waits for its receive before it starts its send. ranks: 6 tool: timeout=2,deadlock=abort */
#include <mpi.h>

static void cross(int rank, int other)
{
    int values[2][4] = {{0}};
    MPI_Request requests[2];

    MPI_Psend_init(values[0], 2, 2, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(values[1], 2, 2, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 2; round++) {
        MPI_Startall(round == 0 ? 2 : 1, &requests[round]);
        if (round == 0) {
            MPI_Pready_range(0, 1, requests[0]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);      /* expect: deadlock */
    }
    MPI_Start(&requests[0]);
    MPI_Pready_range(0, 1, requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, values[4] = {0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Precv_init(values, 2, 2, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);              /* expect: deadlock */
        MPI_Request_free(&request);
    } else if (rank == 2) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 3, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);              /* expect: deadlock */
        MPI_Request_free(&request);
    } else if (rank == 3)
        MPI_Recv(values, 4, MPI_INT, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: deadlock */
    else if (rank > 3)
        cross(rank, 9 - rank);
    MPI_Finalize();                                         /* expect: deadlock */
    return 0;
}
