/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A process probes a communicator that is no longer compared. ranks: 3 */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

/* Two threads receive different data at the same time: MPI_COMM_WORLD is no longer compared. */
static void *receive(void *is_second)
{
    int values[2];

    MPI_Recv(values, is_second == NULL ? 1 : 2, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void receive_twice(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, receive, &thread);
    receive(NULL);
    pthread_join(thread, NULL);
}

static void send_twice(void)
{
    int value = 0;

    for (int i = 0; i < 2; i++)
        MPI_Send(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int provided, rank, value = 0;
    MPI_Comm copy;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0) {
        usleep(1000000);
        MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
        MPI_Send(&value, 1, MPI_INT, 2, 2, copy);
        send_twice();
    } else if (rank == 1) {
        receive_twice();
    } else {
        usleep(500000);
        MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 2, copy, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
