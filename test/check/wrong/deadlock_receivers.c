/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two threads in equal receives, after others that got their messages. ranks: 2 tool: timeout=2,deadlock=abort */
#include <mpi.h>
#include <pthread.h>

static void *receive(void *unused)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);          /* expect: deadlock */
    return unused;
}

int main(int argc, char **argv)
{
    int rank, provided, value;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_create(&thread, NULL, receive, NULL);
        receive(NULL);
        pthread_join(thread, NULL);
    } else {
        for (int i = 0; i < 3; i++)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();     /* either: deadlock */
    return 0;
}
