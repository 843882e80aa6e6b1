/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Another thread than the one that has called MPI_Init ends MPI. ranks: 2 */
#include <mpi.h>
#include <pthread.h>

static void *finish(void *unused)
{
    (void) unused;
    MPI_Finalize();     /* expect: calling thread */
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_create(&thread, NULL, finish, NULL);
    pthread_join(thread, NULL);
    return 0;
}
