/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A second thread of rank 2 accesses memory while the first one is in a receive. Rank 1, which sends before
 * its own access, does not order both. ranks: 3 */
#include <mpi.h>
#include <pthread.h>

static MPI_Win window;
static int rank, value;

static void put(void)
{
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);               /* either: access conflict */
    MPI_Win_flush(0, window);
}

static void *work(void *unused)
{
    int mine;

    MPI_Recv(&mine, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    put();
    MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    return unused;
}

int main(int argc, char **argv)
{
    int provided, *memory;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Send(&rank, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
        put();
    } else {
        pthread_create(&thread, NULL, work, NULL);
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_join(thread, NULL);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
