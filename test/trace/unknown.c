/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Operations whose end a tool cannot see, for two processes: an active send whose request is freed,
 * and MPI_Isendrecv from MPI_ANY_SOURCE, whose status MPICH does not set. Then 3 messages of 100
 * bytes that MPI_Waitall completes. */

#include <mpi.h>

int main(int argc, char **argv)
{
    static char out[100], in[200];
    MPI_Request requests[2];
    int rank, partner;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    partner = 1 - rank;

    MPI_Issend(out, 7, MPI_CHAR, partner, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_free(&requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(in, 200, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Isendrecv(out, 8, MPI_CHAR, partner, 2, in, 200, MPI_CHAR, MPI_ANY_SOURCE, 2,
                  MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

    for (int i = 0; i < 3; i++) {
        MPI_Irecv(in, 200, MPI_CHAR, partner, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 100, MPI_CHAR, partner, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
