/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Another thread than the main one calls. ranks: 2 */
#include <mpi.h>
#include <pthread.h>

static void *look(void *unused)
{
    int rank;

    (void) unused;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);   /* expect: calling thread */
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
