/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Many threads, one after the other, with one call each. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return unused;
}

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    for (int i = 0; i < atoi(argv[1]); i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    return MPI_Finalize();
}
