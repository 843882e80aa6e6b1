/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two threads of each process use a communicator at the same time, each with its tag. ranks: 2 */
#include <mpi.h>
#include <pthread.h>

static pthread_barrier_t both;
static int rank;

static void *work(void *argument)
{
    const int tag = *(int *) argument;
    int value = 0;

    for (int i = 0; i < 50; i++) {
        pthread_barrier_wait(&both);
        if (rank == 0)
            MPI_Send(&value, 1, tag == 1 && i == 49 ? MPI_FLOAT : MPI_INT, 1, tag, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: type mismatch */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, tags[2] = {0, 1};
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, work, &tags[1]);
    work(&tags[0]);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
