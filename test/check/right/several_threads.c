/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#define NEEDS_THREADS
#include "../cases.h"
#include <pthread.h>
#include <unistd.h>

/* Threads in equal receives, which get their messages late and answer them. ranks: 2 tool: timeout=1 */

enum { THREADS = 3, MESSAGES = 5 };

static void *receive(void *unused)
{
    int value;

    for (int i = 0; i < MESSAGES; i++) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
    return unused;
}

static void receivers(int rank, int size)
{
    int value;
    pthread_t threads[THREADS];

    if (rank == 0) {
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, receive, NULL);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    } else {
        for (int i = 0; i < THREADS * MESSAGES; i++) {
            usleep(i % 5 == 0 ? 1500000 : 0);
            MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* One thread of rank 0 receives from any process, then another one tells rank 2 to send: only one message is
 * possible. ranks: 3 tool: races */

static pthread_barrier_t both;

static void receive_from(int other, int tag)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_to(int other, int tag)
{
    MPI_Send(&tag, 1, MPI_INT, other, tag, MPI_COMM_WORLD);
}

static void *receive_both(void *unused)
{
    for (int i = 0; i < 10; i++) {
        receive_from(MPI_ANY_SOURCE, 0);
        pthread_barrier_wait(&both);
        receive_from(MPI_ANY_SOURCE, 0);
        pthread_barrier_wait(&both);
    }
    return unused;
}

static void tell_others(void)
{
    pthread_t thread;

    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, receive_both, NULL);
    for (int i = 0; i < 10; i++) {
        receive_from(1, 3);     /* before the message, or after it */
        pthread_barrier_wait(&both);
        send_to(2, 1);
        pthread_barrier_wait(&both);
        send_to(1, 2);
    }
    pthread_join(thread, NULL);
}

static void threads_race(int rank, int size)
{
    if (rank == 0)
        tell_others();
    for (int i = 0; i < 10 && rank == 1; i++) {
        send_to(0, i % 2 == 0 ? 0 : 3);
        send_to(0, i % 2 == 0 ? 3 : 0);
        receive_from(0, 2);
    }
    for (int i = 0; i < 10 && rank == 2; i++) {
        receive_from(0, 1);
        send_to(0, 0);
    }
}

/* Two threads are in collective operations on MPI_COMM_SELF at the same time: with one process, each order is
 * that of all. ranks: 2 */

static void *repeat(void *unused)
{
    (void) unused;
    for (int i = 0; i < 20000; i++)
        MPI_Barrier(MPI_COMM_SELF);
    return NULL;
}

static void threads_self(int rank, int size)
{
    pthread_t thread;

    pthread_create(&thread, NULL, repeat, NULL);
    repeat(NULL);
    pthread_join(thread, NULL);
}

CASES(CASE(receivers), CASE(threads_race), CASE(threads_self))
