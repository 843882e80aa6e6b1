/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two threads are in collective operations on MPI_COMM_SELF at the same time: with one process, each order is
 * that of all. ranks: 2 */
#include <mpi.h>
#include <pthread.h>

static void *repeat(void *unused)
{
    (void) unused;
    for (int i = 0; i < 20000; i++)
        MPI_Barrier(MPI_COMM_SELF);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_create(&thread, NULL, repeat, NULL);
    repeat(NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
