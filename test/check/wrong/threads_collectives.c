/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two threads of rank 0 are in collective operations on one communicator at the same time. ranks: 2 */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static void *second(void *unused)
{
    (void) unused;
    usleep(300000);
    MPI_Barrier(MPI_COMM_WORLD);   /* expect: collective mismatch */
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, rank;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        pthread_create(&thread, NULL, second, NULL);
    else
        sleep(2);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        pthread_join(thread, NULL);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
