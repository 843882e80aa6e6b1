/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Rank 0 waits for its thread, which receives from rank 1, which waits in a barrier. ranks: 2
 * tool: timeout=1,deadlock=abort */
#include <mpi.h>
#include <pthread.h>

static void *receive(void *unused)
{
    int value;

    (void) unused;
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: deadlock */
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, provided;
    pthread_t receiver;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        pthread_create(&receiver, NULL, receive, NULL);
        pthread_join(receiver, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);   /* expect: deadlock */
    MPI_Finalize();
    return 0;
}
