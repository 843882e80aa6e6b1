/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Threads in equal receives, which get their messages late and answer them. ranks: 2 tool: timeout=1 */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

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

int main(int argc, char **argv)
{
    int rank, provided, value;
    pthread_t threads[THREADS];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
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
    MPI_Finalize();
    return 0;
}
