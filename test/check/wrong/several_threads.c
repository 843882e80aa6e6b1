/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#define NEEDS_THREADS
#include "../cases.h"
#include <pthread.h>
#include <unistd.h>

/* Rank 0 waits for its thread, which receives from rank 1, which waits in a barrier. ranks: 2
 * tool: timeout=1,deadlock=abort */

static void *receive(void *unused)
{
    int value;

    (void) unused;
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: deadlock */
    return NULL;
}

static void deadlock_join(int rank, int size)
{
    pthread_t receiver;

    if (rank == 0) {
        pthread_create(&receiver, NULL, receive, NULL);
        pthread_join(receiver, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);   /* expect: deadlock */
}

/* The process could have several threads, but has one, and the library's own. ranks: 2 tool: timeout=1,deadlock=abort */
static void deadlock_multiple(int rank, int size)
{
    int value;

    MPI_Ssend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);                      /* expect: deadlock */
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Two threads of rank 0 are in collective operations on one communicator at the same time. ranks: 2 */

static void *second(void *unused)
{
    (void) unused;
    usleep(300000);
    MPI_Barrier(MPI_COMM_WORLD);   /* expect: collective mismatch */
    return NULL;
}

static void threads_collectives(int rank, int size)
{
    pthread_t thread;

    if (rank == 0)
        pthread_create(&thread, NULL, second, NULL);
    else
        sleep(2);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        pthread_join(thread, NULL);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

/* The process could have several threads, but one thread makes all calls. ranks: 2 */
static void unsafe_multiple(int rank, int size)
{
    int value;

    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);   /* expect: possible deadlock */
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

CASES(CASE(deadlock_join), CASE(deadlock_multiple), CASE(threads_collectives),
      CASE(unsafe_multiple))
