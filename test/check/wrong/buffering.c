/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"

/* Everybody sends before it receives from anybody. ranks: 3 */
static void unsafe_any(int rank, int size)
{
    int value;

    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD);     /* expect: possible deadlock */
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The receiver is in a barrier that the sender enters after the send. ranks: 3 */
static void unsafe_barrier(int rank, int size)
{
    int value;

    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);              /* expect: possible deadlock */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The same with a nonblocking barrier. ranks: 2 */
static void unsafe_ibarrier(int rank, int size)
{
    int value;
    MPI_Request request;

    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);              /* expect: possible deadlock */
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The wait for a send comes before the receive. ranks: 2 */
static void unsafe_isend(int rank, int size)
{
    int value;
    MPI_Request request;

    MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);                              /* expect: possible deadlock */
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The wait for two sends comes before the receives. ranks: 3 */
static void unsafe_isends(int rank, int size)
{
    int value;
    MPI_Request requests[2];

    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 2) % 3, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                      /* expect: possible deadlock */
    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, (rank + 2) % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A send may wait until the message of a matched probe is received. ranks: 2 */
static void unsafe_matched(int rank, int size)
{
    int value = 1;
    MPI_Message message;

    if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);                         /* expect: possible deadlock */
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

/* The receiver of a message waits for a partition that its sender marks after the send. ranks: 2 */
static void unsafe_partitioned(int rank, int size)
{
    int value, values[2] = {0};
    MPI_Request request;

    if (rank == 0) {
        MPI_Psend_init(values, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request);
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);              /* expect: possible deadlock */
        MPI_Pready(1, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Precv_init(values, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

/* A persistent send is waited for before the receive. ranks: 2 */
static void unsafe_persistent(int rank, int size)
{
    int value;
    MPI_Request request;

    MPI_Send_init(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);                              /* expect: possible deadlock */
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* Everybody sends before it probes. ranks: 2 */
static void unsafe_probe(int rank, int size)
{
    int value;
    MPI_Status status;

    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);           /* expect: possible deadlock */
    MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A process sends to itself before it receives. ranks: 2 */
static void unsafe_self(int rank, int size)
{
    int value;
    MPI_Request request;

    MPI_Isend(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);                              /* expect: possible deadlock */
    MPI_Recv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 1 sends before a persistent barrier, and rank 0 receives after it. ranks: 2 */
static void unsafe_started(int rank, int size)
{
    int value = 0;
    MPI_Request barrier;

    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);   /* expect: possible deadlock */
    MPI_Start(&barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request_free(&barrier);
}

/* The receives are in another order than the sends. ranks: 2 */
static void unsafe_tags(int rank, int size)
{
    int value;

    if (rank == 0) {
        MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);              /* expect: possible deadlock */
        MPI_Send(&rank, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

CASES(CASE(unsafe_any), CASE(unsafe_barrier), CASE(unsafe_ibarrier), CASE(unsafe_isend),
      CASE(unsafe_isends), CASE(unsafe_matched), CASE(unsafe_partitioned), CASE(unsafe_persistent),
      CASE(unsafe_probe), CASE(unsafe_self), CASE(unsafe_started), CASE(unsafe_tags))
