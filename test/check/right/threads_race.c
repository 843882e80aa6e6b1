/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* One thread of rank 0 receives from any process, then another one tells rank 2 to send: only one message is
 * possible. ranks: 3 tool: races */
#include <mpi.h>
#include <pthread.h>

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

int main(int argc, char **argv)
{
    int provided, rank;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
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
    MPI_Finalize();
    return 0;
}
