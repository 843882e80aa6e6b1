/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accesses of ranks 1 and 2 to the same memory are ordered by a message. The second thread of rank 2 receives it
 * while the first one is in another receive, or the first one receives it and tells the second one. ranks: 3 */
#include <mpi.h>
#include <pthread.h>

enum { rounds = 20 };

static MPI_Win window;
static pthread_barrier_t both;
static int rank;

static void put(void)
{
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
}

static void send_to(int other, int tag)
{
    MPI_Send(&rank, 1, MPI_INT, other, tag, MPI_COMM_WORLD);
}

static void receive_from(int other, int tag)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *second_of_rank_2(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        receive_from(1, 2);
        put();
        send_to(0, 3);
        pthread_barrier_wait(&both);
        put();
        send_to(1, 4);
    }
    return unused;
}

static void first_of_rank_2(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, second_of_rank_2, NULL);
    for (int i = 0; i < rounds; i++) {
        receive_from(0, 1);
        send_to(1, 6);
        receive_from(1, 5);
        pthread_barrier_wait(&both);
    }
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int provided, *memory;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&both, NULL, 2);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        for (int i = 0; i < rounds; i++) {
            receive_from(2, 3);
            send_to(2, 1);
        }
    } else if (rank == 1) {
        for (int i = 0; i < rounds; i++) {
            put();
            send_to(2, 2);
            receive_from(2, 6);
            put();
            send_to(2, 5);
            receive_from(2, 4);
        }
    } else
        first_of_rank_2();
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
