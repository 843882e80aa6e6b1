/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A thread calls while another one waits. ranks: 2 */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static void *receive(void *unused)
{
    int value;

    (void) unused;
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  /* either: calling thread */
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank, size;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_create(&thread, NULL, receive, NULL);
        usleep(500000);
        MPI_Comm_size(MPI_COMM_WORLD, &size);                               /* either: calling thread */
        pthread_join(thread, NULL);
    } else {
        sleep(1);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
