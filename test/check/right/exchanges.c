/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Exchanges that need no buffer of the library. ranks: 4 tool: timeout=5 */
#include <mpi.h>
#include <stdlib.h>

static int rank, size, left, right, value;
static char buffer[4096];

static void exchange(int round)
{
    MPI_Request requests[4];
    MPI_Status status;
    int index, done = 0, found;

    switch (round % 12) {
    case 0: /* every second process receives first */
        if (rank % 2 == 0)
            MPI_Send(&rank, 1, MPI_INT, right, round, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank % 2 == 1)
            MPI_Send(&rank, 1, MPI_INT, right, round, MPI_COMM_WORLD);
        break;
    case 1: /* one process receives first */
        if (rank > 0)
            MPI_Send(&rank, 1, MPI_INT, right, round, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0)
            MPI_Send(&rank, 1, MPI_INT, right, round, MPI_COMM_WORLD);
        break;
    case 2:
        MPI_Sendrecv(&rank, 1, MPI_INT, right, round, &value, 1, MPI_INT, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(&value, 1, MPI_INT, rank, round, rank, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Irecv(&value, 1, MPI_INT, left, round, MPI_COMM_WORLD, &requests[0]);
        MPI_Send(&rank, 1, MPI_INT, right, round, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        break;
    case 4:
        MPI_Isend(&rank, 1, MPI_INT, right, round, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&rank, 1, MPI_INT, left, round, MPI_COMM_WORLD, &requests[1]);
        MPI_Recv(&value, 1, MPI_INT, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, right, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        break;
    case 5: /* the wait for the first send needs no receive of the second */
        MPI_Isend(&rank, 1, MPI_INT, right, 2 * round, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&rank, 1, MPI_INT, right, 2 * round + 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Recv(&value, 1, MPI_INT, left, 2 * round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, left, 2 * round + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        break;
    case 6:
        MPI_Bsend(&rank, 1, MPI_INT, right, round, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 7:
        MPI_Irecv(&value, 1, MPI_INT, left, round, MPI_COMM_WORLD, &requests[0]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Rsend(&rank, 1, MPI_INT, right, round, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        break;
    case 8: /* to itself */
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &requests[0]);
        MPI_Send(&rank, 1, MPI_INT, rank, round, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Isend(&rank, 1, MPI_INT, rank, round, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv(&value, 1, MPI_INT, rank, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        break;
    case 9: /* whichever is complete first */
        MPI_Irecv(&value, 1, MPI_INT, left, round, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&rank, 1, MPI_INT, right, round, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        break;
    case 10: /* a test of the send, and receives meanwhile */
        MPI_Issend(&rank, 1, MPI_INT, right, round, MPI_COMM_WORLD, &requests[0]);
        for (found = 0; !done || !found;) {
            if (!done)
                MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
            if (!found) {
                MPI_Iprobe(left, round, MPI_COMM_WORLD, &found, &status);
                if (found)
                    MPI_Recv(&value, 1, MPI_INT, left, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        }
        break;
    case 11: /* consensus: the barrier starts when the own send is complete */
        MPI_Issend(&rank, 1, MPI_INT, (rank + round) % size, round, MPI_COMM_WORLD, &requests[0]);
        for (int has_started = 0; !done;) {
            MPI_Iprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &found, &status);
            if (found)
                MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (has_started)
                MPI_Test(&requests[1], &done, MPI_STATUS_IGNORE);
            else {
                MPI_Test(&requests[0], &has_started, MPI_STATUS_IGNORE);
                if (has_started)
                    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
            }
        }
        break;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int round = 0; round < 60; round++)
        exchange(round);
    /* in any order */
    srand(1);
    for (int round = 100; round < 140; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        exchange(12 * (round + rand() % 3) + rand() % 12);
    }
    void *old;
    int old_size;
    MPI_Buffer_detach(&old, &old_size);
    MPI_Finalize();
    return 0;
}
