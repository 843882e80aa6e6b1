/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Four threads wait at the same time for a message that the main thread sends late. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4 };

static void *receive(void *tag)
{
    int number;
    MPI_Recv(&number, 1, MPI_INT, 0, *(int *) tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int level, tags[THREADS];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    for (int i = 0; i < THREADS; i++) {
        tags[i] = i;
        pthread_create(&threads[i], NULL, receive, &tags[i]);
    }
    usleep(300000);
    for (int i = 0; i < THREADS; i++)
        MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return MPI_Finalize();
}
