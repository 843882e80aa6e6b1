/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two threads of each process communicate alternately, with the same communicator and tag. ranks: 2 */
#include <mpi.h>
#include <pthread.h>

static pthread_barrier_t both;
static int rank;

static void *work(void *argument)
{
    const int own = *(int *) argument;
    int value = 0, sum;

    for (int i = 0; i < 20; i++) {
        if (i % 2 == own) {
            MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Allreduce(&value, &sum, 1, MPI_INT, rank == 1 && i == 19 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);   /* expect: collective mismatch */
        }
        pthread_barrier_wait(&both);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, numbers[2] = {0, 1};
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, work, &numbers[1]);
    work(&numbers[0]);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
