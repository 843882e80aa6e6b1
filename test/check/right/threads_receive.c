/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* All sends could wait for their receives, which a second thread starts later. ranks: 2 */
#include <mpi.h>
#include <pthread.h>

static int rank;

static void *receive(void *unused)
{
    int value;

    (void) unused;
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t receiver;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided == MPI_THREAD_MULTIPLE) {
        MPI_Barrier(MPI_COMM_WORLD);
        pthread_create(&receiver, NULL, receive, NULL);
        MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        pthread_join(receiver, NULL);
    }
    MPI_Finalize();
    return 0;
}
