/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* pauses WORD...: for 2 processes, which exchange messages of 100 bytes. Each word is a step:
 *
 *     init        persistent requests of a receive and a send
 *     start       MPI_Startall
 *     begin       nonblocking receive and send
 *     wait        MPI_Waitall
 *     a number    MPI_Pcontrol with this level */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 100, TAG = 1 };

int main(int argc, char **argv)
{
    static char in[BYTES], out[BYTES];
    MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int rank, partner;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    partner = 1 - rank;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "init") == 0) {
            MPI_Recv_init(in, BYTES, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, &requests[0]);
            MPI_Send_init(out, BYTES, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, &requests[1]);
        } else if (strcmp(argv[i], "begin") == 0) {
            MPI_Irecv(in, BYTES, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(out, BYTES, MPI_CHAR, partner, TAG, MPI_COMM_WORLD, &requests[1]);
        } else if (strcmp(argv[i], "start") == 0)
            MPI_Startall(2, requests);
        else if (strcmp(argv[i], "wait") == 0)
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        else
            MPI_Pcontrol(atoi(argv[i]));
    }
    for (int i = 0; i < 2; i++) {
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
    }
    MPI_Finalize();
    return 0;
}
