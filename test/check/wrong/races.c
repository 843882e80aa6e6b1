/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include <unistd.h>

/* Collective operations that one process completes before another has started them: its message is the first to arrive.
 * ranks: 3 tool: races */
static void race_early(int rank, int size)
{
    int value, values[3];

    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: message race */
    if (rank == 1) {
        usleep(100000);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Gather(&rank, 1, MPI_INT, values, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: message race */
    if (rank == 1) {
        usleep(100000);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A reduction without data need not wait for anybody.
 * ranks: 3 tool: races */
static void race_empty(int rank, int size)
{
    int value;
    int sum;

    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: message race */
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &sum, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Of the senders, only the root of a gather operation knows what came before it: the second message can be the first to
 * arrive. ranks: 3 tool: races */
static void race_gather(int rank, int size)
{
    int value, values[3];

    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: message race */
    else if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Gather(&rank, 1, MPI_INT, values, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

/* A barrier on an intercommunicator waits for the other group only.
 * ranks: 3 tool: races */
static void race_intercommunicator(int rank, int size)
{
    int value;
    MPI_Comm group, other;

    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, 0, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank != 1, 0, &other);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: message race */
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(other);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&other);
    MPI_Comm_free(&group);
}

/* A matched probe for any process and any tag: the other message can be the first. ranks: 3 tool: races */
static void race_matched(int rank, int size)
{
    int value, found = 0;
    MPI_Message message;

    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
    else {
        while (!found)
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);  /* expect: message race */
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

/* The message of a receive that names its source could go to an earlier one from any process. ranks: 3 tool: races */
static void race_named(int rank, int size)
{
    int value;
    MPI_Status status;

    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);       /* expect: message race */
        MPI_Recv(&value, 1, MPI_INT, 3 - status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* A neighborhood collective does not order what a process does before it and the source of its data does after it.
 * ranks: 3 tool: races */
static void race_neighbours(int rank, int size)
{
    int value, other = -1;
    MPI_Comm graph;

    /* from 2 to 0 */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 0, (int[]) {2}, MPI_UNWEIGHTED, rank == 2, (int[]) {0},
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: message race */
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &other, 1, MPI_INT, graph);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&graph);
}

/* The receiver of partitions knows what their sender had done before it marked the last one, not what others do.
 * ranks: 3 tool: races */
static void race_partitioned(int rank, int size)
{
    int value, values[2] = {0};
    MPI_Request request;

    for (int round = 0; round < 2; round++) {
        /* in the first round, 0 tells 2 that it has the message of 1 */
        const int teller = round;

        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  /* expect: message race */
        if (rank == teller) {
            MPI_Psend_init(values, 2, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
            MPI_Start(&request);
            MPI_Pready_range(0, 1, request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
        if (rank == 2) {
            MPI_Precv_init(values, 1, 2, MPI_INT, teller, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
            MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        }
        if (rank == 0)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* A message that a probe for any process finds is received from its source: the other can be first.
 * ranks: 3 tool: races */
static void race_probe(int rank, int size)
{
    int value;
    MPI_Status status;

    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    else {
        MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  /* expect: message race */
        MPI_Probe(3 - status.MPI_SOURCE, 5, MPI_COMM_WORLD, &status);
        MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Receives from any process that are awaited in the reverse order: each message can go to the first of them.
 * ranks: 3 tool: races */
static void race_reverse(int rank, int size)
{
    int values[2];
    MPI_Request requests[2];

    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else {
        MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);     /* expect: message race */
        MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
}

/* Either message can be the first. ranks: 3 tool: races */
static void race_source(int rank, int size)
{
    int value;

    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);             /* expect: message race */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* An exchange without data from one process to another one does not order their calls.
 * ranks: 3 tool: races */
static void race_sparse(int rank, int size)
{
    int value;
    int data[3] = {0}, room[3];
    const int places[] = {0, 1, 2};
    int sent[] = {1, 1, 1}, received[] = {1, 1, 1};

    if (rank == 0)
        sent[2] = 0;
    if (rank == 2)
        received[0] = 0;
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: message race */
    if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Alltoallv(data, sent, places, MPI_INT, room, received, places, MPI_INT, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The senders know that a receive from any process was posted, not which message it has. ranks: 3 tool: races */
static void race_started(int rank, int size)
{
    int value;
    MPI_Request request;

    if (rank == 0)
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);     /* expect: message race */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Any tag of any process: the message with tag 2 can be the first. ranks: 3 tool: races */
static void race_tag(int rank, int size)
{
    int value;

    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
    else {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: message race */
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Either message can be the one that nobody receives. ranks: 3 tool: races */
static void race_unreceived(int rank, int size)
{
    int value;

    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);                           /* expect: message not received */
    else
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: message race */
}

CASES(CASE(race_early), CASE(race_empty), CASE(race_gather), CASE(race_intercommunicator),
      CASE(race_matched), CASE(race_named), CASE(race_neighbours), CASE(race_partitioned),
      CASE(race_probe), CASE(race_reverse), CASE(race_source), CASE(race_sparse),
      CASE(race_started), CASE(race_tag), CASE(race_unreceived))
