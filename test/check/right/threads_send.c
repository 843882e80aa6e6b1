/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* One thread sends, another one receives later: both processes are in the send meanwhile. ranks: 2
 * tool: timeout=300ms,deadlock=abort */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static int rank, value;

static void *receive(void *unused)
{
    (void) unused;
    sleep(2);
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
        pthread_create(&receiver, NULL, receive, NULL);
        MPI_Ssend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        pthread_join(receiver, NULL);
    }
    MPI_Finalize();
    return 0;
}
