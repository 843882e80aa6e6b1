/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two threads of each process share a communicator, and each has one of its own. ranks: 2 */
#include <mpi.h>
#include <pthread.h>

static MPI_Comm shared, own[2];
static int rank;

static void *work(void *argument)
{
    const int number = *(int *) argument;
    int value = 0, sum;
    float fraction = 0;

    MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, number, 1 - rank, number, shared, MPI_STATUS_IGNORE);
    if (number == 1) {
        if (rank == 0)
            MPI_Send(&fraction, 1, MPI_FLOAT, 1, 0, own[1]);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, 0, own[1], MPI_STATUS_IGNORE);   /* expect: type mismatch */
    }
    MPI_Allreduce(&value, &sum, 1, MPI_INT, number == 0 && rank == 0 ? MPI_MAX : MPI_SUM, own[number]);   /* expect: collective mismatch */
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, numbers[2] = {0, 1};
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &shared);
    MPI_Comm_dup(MPI_COMM_WORLD, &own[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &own[1]);
    pthread_create(&thread, NULL, work, &numbers[1]);
    work(&numbers[0]);
    pthread_join(thread, NULL);
    MPI_Comm_free(&shared);
    MPI_Comm_free(&own[0]);
    MPI_Comm_free(&own[1]);
    MPI_Finalize();
    return 0;
}
