/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two threads of each process, each with its own communicator and tag. ranks: 2 */
#include <mpi.h>
#include <pthread.h>

static MPI_Comm comms[2];
static int rank;

static void *work(void *argument)
{
    int own = *(int *) argument, value = 0, sum;

    for (int i = 0; i < 200; i++) {
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, own, 1 - rank, own, comms[own], MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 2, 1 - rank, 2, comms[0], MPI_STATUS_IGNORE);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, own ? MPI_SUM : MPI_MAX, comms[own]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, numbers[2] = {0, 1};
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    if (provided == MPI_THREAD_MULTIPLE) {
        pthread_create(&thread, NULL, work, &numbers[1]);
        work(&numbers[0]);
        pthread_join(thread, NULL);
    }
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return 0;
}
