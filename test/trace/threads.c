/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A second thread posts two receives of different size from one process with one tag; the first thread
 * completes them, the later one first. */

#include <mpi.h>
#include <pthread.h>

static int data[3];
static MPI_Request requests[2];

static void *post(void *unused)
{
    MPI_Irecv(data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(data + 1, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
    return unused;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(data, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        pthread_create(&thread, NULL, post, NULL);
        pthread_join(thread, NULL);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
