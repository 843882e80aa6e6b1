/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Calls that each level of thread support allows to threads. ranks: 2 */
#include <mpi.h>
#include <pthread.h>

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int rank;

static void *shift(void *unused)
{
    int value = 0;

    (void) unused;
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&turn);
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&turn);
    }
    return NULL;
}

/* Any thread may call these. */
static void *look(void *unused)
{
    int flag;
    MPI_Info info;

    (void) unused;
    MPI_Initialized(&flag);
    MPI_Is_thread_main(&flag);
    MPI_Query_thread(&flag);
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Info_free(&info);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_create(&thread, NULL, look, NULL);
    shift(NULL);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, shift, NULL);
    shift(NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
