/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Uses of MPI and ends, one at a time:
 *   ways lost        a message that nobody receives, a receive that gets none
 *   ways exit        ends without MPI_Finalize
 *   ways abort       rank 0 calls MPI_Abort
 *   ways session     sessions alone
 *   ways threads     four threads of each rank send and receive at once
 * In all but the first each rank sends an int to the next one first. For 2 processes. */

#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, TIMES = 200 };

static int rank, size;

static void shift(MPI_Comm comm, int tag)
{
    int sent = 1, received;
    MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, tag, &received, 1, MPI_INT,
                 (rank + size - 1) % size, tag, comm, MPI_STATUS_IGNORE);
}

static void *exchange(void *number)
{
    const int tag = (int) (intptr_t) number;
    int sent[10] = { 0 }, received[10];

    for (int i = 0; i < TIMES; i++) {
        MPI_Request requests[2];
        MPI_Irecv(received, 10, MPI_INT, (rank + size - 1) % size, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(sent, tag, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return NULL;
}

static void session(void)
{
    MPI_Session handle;
    MPI_Group group;
    MPI_Comm comm;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &handle);
    MPI_Group_from_session_pset(handle, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "ways", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    shift(comm, 0);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&handle);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    int level, number = 1;

    if (strcmp(way, "session") == 0) {
        session();
        return 0;
    }
    MPI_Init_thread(&argc, &argv, strcmp(way, "threads") == 0 ? MPI_THREAD_MULTIPLE :
                    MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    if (strcmp(way, "lost") == 0) {
        static MPI_Request request;
        static int room;
        if (rank == 0)
            MPI_Send(&number, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
        else
            MPI_Irecv(&room, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, &request);
    } else
        shift(MPI_COMM_WORLD, 0);
    if (strcmp(way, "exit") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        exit(0);
    }
    if (strcmp(way, "abort") == 0) {
        if (rank == 0)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(way, "threads") == 0) {
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, exchange, (void *) (intptr_t) (i + 1));
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    return 0;
}
