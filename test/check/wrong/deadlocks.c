/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"

/* A broadcast before the message at its root, and after it elsewhere. ranks: 2 */
static void crossed_bcast(int rank, int size)
{
    int value = 0;

    if (rank == 0) {
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);               /* expect: possible deadlock */
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

/* After a mismatch that does no harm, operations that do not match never complete.
 * ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_after_mismatch(int rank, int size)
{
    int value = 0;

    MPI_Allreduce(&rank, &value, 1, MPI_INT, rank == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);    /* expect: collective mismatch */
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);                                                            /* expect: deadlock */
    else
        MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);                      /* expect: deadlock */
}

/* Everybody waits for a message of anybody. ranks: 3 tool: timeout=2,deadlock=abort */
static void deadlock_any(int rank, int size)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: deadlock */
}

/* The root of a broadcast waits first for a message that another process sends after it. ranks: 3 */
static void deadlock_bcast(int rank, int size)
{
    int value = 0;

    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  /* expect: deadlock */
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);                           /* expect: deadlock */
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

/* Two communicators in two orders. ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_communicators(int rank, int size)
{
    MPI_Comm comms[2];

    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Barrier(comms[rank]);                                                       /* expect: deadlock */
    MPI_Barrier(comms[1 - rank]);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
}

/* A barrier and a message in another order: found before the timeout. ranks: 2 tool: timeout=100,deadlock=abort */
static void deadlock_crossed(int rank, int size)
{
    int value;

    if (rank == 0) {
        MPI_Barrier(MPI_COMM_WORLD);                                    /* expect: deadlock */
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: deadlock */
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* An access epoch and an exposure epoch that the other process never begins. ranks: 4 tool: timeout=2,deadlock=abort */
static void deadlock_exposure(int rank, int size)
{
    int value = 0, partner;
    MPI_Win window;
    MPI_Group world, group;

    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    partner = rank ^ 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &partner, &group);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);    /* either: deadlock */
        MPI_Put(&rank, 1, MPI_INT, partner, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);           /* either: deadlock */
    } else if (rank == 2) {
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);               /* expect: deadlock */
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&window);                  /* expect: deadlock */
}

/* A fence and a barrier wait for each other. ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_fence_barrier(int rank, int size)
{
    int value = 0;
    MPI_Win window;

    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == 0)
        MPI_Win_fence(0, window);       /* expect: deadlock */
    else
        MPI_Barrier(MPI_COMM_WORLD);    /* expect: deadlock */
    MPI_Win_free(&window);
}

/* The same with a request and a probe that does not wait. ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_improbe(int rank, int size)
{
    int value = 1, flag = 0;
    MPI_Message message;
    MPI_Request request;

    if (rank == 1) {
        MPI_Issend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                      /* expect: deadlock */
    } else {
        while (!flag)
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);                                                    /* expect: deadlock */
    if (rank == 0)
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

/* A leader waits in MPI_Intercomm_create for the other one, which waits for its message. ranks: 4
 * tool: timeout=2,deadlock=abort */
static void deadlock_intercommunicator(int rank, int size)
{
    int value = 0;
    MPI_Comm half, both;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: deadlock */
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);          /* expect: deadlock */
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

/* Two processes lock two windows in two orders. ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_locks(int rank, int size)
{
    int values[2] = {0, 0};
    MPI_Win windows[2];

    for (int i = 0; i < 2; i++)
        MPI_Win_create(&values[i], sizeof values[i], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows[rank]);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[rank]);
    MPI_Win_flush(0, windows[rank]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, windows[1 - rank]);              /* expect: deadlock */
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, windows[1 - rank]);
    MPI_Win_unlock(0, windows[1 - rank]);
    MPI_Win_unlock(0, windows[rank]);
    for (int i = 0; i < 2; i++)
        MPI_Win_free(&windows[i]);
}

/* A synchronous send waits until the message of a matched probe is received, not for the probe. ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_matched(int rank, int size)
{
    int value = 1;
    MPI_Message message;

    if (rank == 1) {
        MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);                        /* expect: deadlock */
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(1, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: deadlock */
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

/* In the second round, each process waits for the partitions of the other one before it starts its send.
 * ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_partitions(int rank, int size)
{
    int values[2][4] = {{0}};
    MPI_Request requests[2];

    MPI_Psend_init(values[0], 2, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(values[1], 2, 2, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Pready_range(0, 1, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);          /* expect: deadlock */
    MPI_Start(&requests[0]);
    MPI_Pready_range(0, 1, requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

/* A probe for a message that nobody sends. ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_probe(int rank, int size)
{
    if (rank == 0)
        MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* expect: deadlock */
    MPI_Barrier(MPI_COMM_WORLD);                                /* expect: deadlock */
}

/* Everybody receives first. ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_receive(int rank, int size)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: deadlock */
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
}

/* The lowest rank of a prefix reduction waits first for a message that a higher rank sends after it. ranks: 3 */
static void deadlock_scan(int rank, int size)
{
    int value = 0;

    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  /* expect: deadlock */
    MPI_Scan(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);          /* expect: deadlock */
    if (rank == 2)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

/* A persistent barrier is started twice by rank 0, and once by rank 1. ranks: 2 tool: timeout=1,deadlock=abort */
static void deadlock_started(int rank, int size)
{
    int value;
    MPI_Request barrier;

    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
    MPI_Start(&barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Start(&barrier);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);                                       /* expect: deadlock */
    } else
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);       /* expect: deadlock */
    MPI_Request_free(&barrier);
}

/* Synchronous sends cannot complete: found before the timeout. ranks: 2 tool: timeout=100,deadlock=abort */
static void deadlock_synchronous(int rank, int size)
{
    int value;
    MPI_Request request;

    MPI_Issend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);                              /* expect: deadlock */
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A receive with a tag that nobody sends. ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_tag(int rank, int size)
{
    int value = 0;

    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: deadlock */
    else
        MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);                         /* expect: possible deadlock */
    MPI_Barrier(MPI_COMM_WORLD);                                                    /* expect: deadlock */
}

/* The only message goes to the receive that was posted first. ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_taken(int rank, int size)
{
    int values[2];
    MPI_Request request;

    MPI_Irecv(&values[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(&values[1], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: deadlock */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Nonblocking receives that nothing comes for. ranks: 2 tool: timeout=2,deadlock=abort */
static void deadlock_wait(int rank, int size)
{
    int values[2];
    MPI_Request requests[2];

    MPI_Irecv(&values[0], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                                  /* expect: deadlock */
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
}

CASES(CASE(crossed_bcast), CASE(deadlock_after_mismatch), CASE(deadlock_any), CASE(deadlock_bcast),
      CASE(deadlock_communicators), CASE(deadlock_crossed), CASE(deadlock_exposure),
      CASE(deadlock_fence_barrier), CASE(deadlock_improbe), CASE(deadlock_intercommunicator),
      CASE(deadlock_locks), CASE(deadlock_matched), CASE(deadlock_partitions),
      CASE(deadlock_probe), CASE(deadlock_receive), CASE(deadlock_scan), CASE(deadlock_started),
      CASE(deadlock_synchronous), CASE(deadlock_tag), CASE(deadlock_taken), CASE(deadlock_wait))
