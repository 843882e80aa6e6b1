/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Of three threads two receive, and one waits for another. ranks: 2 tool: timeout=1,deadlock=abort */
#include <mpi.h>
#include <pthread.h>

static int rank;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *receive(void *unused)
{
    int value;

    (void) unused;
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: deadlock */
    return NULL;
}

static void *wait(void *unused)
{
    (void) unused;
    pthread_mutex_lock(&mutex);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    return NULL;
}

int main(int argc, char **argv)
{
    int value, provided;
    pthread_t receiver, waiter;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&waiter, NULL, wait, NULL);
    pthread_create(&receiver, NULL, receive, NULL);
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: deadlock */
    pthread_join(receiver, NULL);
    MPI_Finalize();
    return 0;
}
