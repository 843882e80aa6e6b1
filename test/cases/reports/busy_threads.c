/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two processes: four threads of rank 0 wait at the same time for messages that rank 1 sends late. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4 };

static void *receive(void *tag)
{
    int number;
    MPI_Recv(&number, 1, MPI_INT, 1, *(int *) tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv)
{
    int level, rank, tags[THREADS];
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; rank == 0 && i < THREADS; i++) {
        tags[i] = i;
        pthread_create(&threads[i], NULL, receive, &tags[i]);
    }
    usleep(300000);
    for (int i = 0; rank == 1 && i < THREADS; i++)
        MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return MPI_Finalize();
}
