/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The threads of a process use the same communicator one after the other. ranks: 2 */
#include <mpi.h>
#include <pthread.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int rank;

static void *shift(void *unused)
{
    int value = 0;

    (void) unused;
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&turn);
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&turn);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, value = 0;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, shift, NULL);
    shift(NULL);
    pthread_join(thread, NULL);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_FLOAT, 1, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: type mismatch */
    MPI_Finalize();
    return 0;
}
