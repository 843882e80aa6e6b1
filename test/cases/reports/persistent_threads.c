/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A progress thread tests persistent requests, active or not; the main thread starts them. ranks: 1;
 * argument: the function that tests. */

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define STARTS 200

static const char *function;
static MPI_Request requests[2];
static volatile int has_ended;
static int received;

static int is_received(const MPI_Status * status)
{
    return status->MPI_SOURCE == 0;
}

/* Receives that a call has completed. */
static int test(MPI_Request * copies)
{
    int number = 0, index = 0, flag = 0, indices[2];
    MPI_Status statuses[2];

    if (strcmp(function, "testsome") == 0) {
        MPI_Testsome(2, copies, &number, indices, MPI_STATUSES_IGNORE);
        return number == MPI_UNDEFINED ? 0 : number;
    }
    if (strcmp(function, "testany") == 0) {
        MPI_Testany(2, copies, &index, &flag, MPI_STATUS_IGNORE);
        return flag && index != MPI_UNDEFINED;
    }
    if (strcmp(function, "testall") == 0) {
        MPI_Testall(2, copies, &flag, statuses);
        return flag ? is_received(&statuses[0]) + is_received(&statuses[1]) : 0;
    }
    for (int i = 0; i < 2; i++) {
        MPI_Test(&copies[i], &flag, &statuses[i]);
        number += flag && is_received(&statuses[i]);
    }
    return number;
}

static void *progress(void *unused)
{
    MPI_Request copies[2] = { requests[0], requests[1] };

    while (!has_ended) {
        const int number = test(copies);
        __atomic_fetch_add(&received, number, __ATOMIC_SEQ_CST);
    }
    return unused;
}

int main(int argc, char **argv)
{
    int provided, x = 1, y[2];
    pthread_t thread;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    function = argv[1];
    for (int i = 0; i < 2; i++)
        MPI_Recv_init(&y[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    pthread_create(&thread, NULL, progress, NULL);
    for (int n = 0; n < STARTS; n++) {
        for (int i = 0; i < 2; i++) {
            MPI_Start(&requests[i]);
            MPI_Send(&x, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        }
        while (__atomic_load_n(&received, __ATOMIC_SEQ_CST) < 2 * (n + 1));
    }
    has_ended = 1;
    pthread_join(thread, NULL);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
    MPI_Finalize();
    puts("ok");
    return 0;
}
