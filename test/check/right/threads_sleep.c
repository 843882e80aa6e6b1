/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Both processes receive for long, until another thread, which waits with a time limit, sends. ranks: 2
 * tool: timeout=300ms,deadlock=abort */
#include <mpi.h>
#include <pthread.h>
#include <time.h>

static int rank;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *send(void *unused)
{
    struct timespec end;

    (void) unused;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 2;
    pthread_mutex_lock(&mutex);
    while (pthread_cond_timedwait(&never, &mutex, &end) == 0)
        ;
    pthread_mutex_unlock(&mutex);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, value;
    pthread_t sender;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided == MPI_THREAD_MULTIPLE) {
        pthread_create(&sender, NULL, send, NULL);
        MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_join(sender, NULL);
    }
    MPI_Finalize();
    return 0;
}
