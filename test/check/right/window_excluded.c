/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A fence of a window whose communicator is no longer compared takes longer than the timeout. ranks: 2 tool: timeout=1 */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

/* Two threads receive at the same time: MPI_COMM_WORLD is no longer compared. */
static void *receive(void *unused)
{
    int value;

    (void) unused;
    MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

static void receive_twice(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, receive, NULL);
    receive(NULL);
    pthread_join(thread, NULL);
}

static void send_twice(void)
{
    int value = 0;

    for (int i = 0; i < 2; i++)
        MPI_Send(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int provided, rank, *memory;
    MPI_Win window;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        receive_twice();
    else {
        usleep(500000);
        send_twice();
    }
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank == 0)
        sleep(3);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
