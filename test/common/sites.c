/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Calls MPI from many places, and notes each call as a profile has to count it.
 *
 * With -DLIBRARY the part that library_calls() is made of becomes a shared library, and with
 * -DUSES_LIBRARY the program leaves that part out. */

#include "expected_calls.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

void library_calls(int rank, int size);

#ifndef USES_LIBRARY
void library_calls(int rank, int size)
{
    int in[64] = { 0 }, out[64] = { 0 };
    for (int i = 0; i < 5; i++) {
        CALL(MPI_Allreduce, 4 * i * size, 4 * i * size,
             (in, out, i, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CALL(MPI_Gather, 8, rank == 1 ? 8 * size : 0,
             (in, 2, MPI_INT, out, 2, MPI_INT, 1, MPI_COMM_WORLD));
    }
}
#endif

#ifndef LIBRARY
enum { THREADS = 4, CALLS_OF_A_THREAD = 300 };

static inline __attribute__((always_inline)) void inlined_send(int peer, int count)
{
    double data[32] = { 0 };
    CALL(MPI_Send, 8 * count, 0, (data, count, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD));
}

static __attribute__((noinline)) void receive(int peer, int count)
{
    double data[32];
    CALL(MPI_Recv, 0, 8 * count,
         (data, count, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void *thread_calls(void *argument)
{
    int peer = *(int *) argument, in = 0, out = 0;
    for (int i = 0; i < CALLS_OF_A_THREAD; i++) {
        int tag = 7;
        CALL(MPI_Sendrecv, 0, 0,
             (&in, 1, MPI_INT, peer, tag, &out, 1, MPI_INT, peer, tag, MPI_COMM_SELF,
              MPI_STATUS_IGNORE));
    }
    return NULL;
}

static void ring(int rank, int size)
{
    MPI_Request requests[2];
    char in[100], out[100] = "";
    int next = (rank + 1) % size, before = (rank + size - 1) % size;

    for (int i = 0; i < 10; i++) {
        CALL(MPI_Irecv, 0, 10 * i, (in, 100, MPI_CHAR, before, 2, MPI_COMM_WORLD, &requests[0]));
        CALL(MPI_Isend, 10 * i, 0, (out, 10 * i, MPI_CHAR, next, 2, MPI_COMM_WORLD, &requests[1]));
        CALL(MPI_Waitall, 0, 0, (2, requests, MPI_STATUSES_IGNORE));
    }
    CALL(MPI_Send, 0, 0, (out, 100, MPI_CHAR, MPI_PROC_NULL, 2, MPI_COMM_WORLD));
}

static void collectives(int rank, int size)
{
    int counts[16], displs[16], *all = calloc(1000, sizeof(int)), one[16] = { 0 };
    int sum = 0;
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        displs[i] = sum;
        sum += i + 1;
    }
    CALL(MPI_Bcast, rank == 0 ? 400 * (size - 1) : 0, rank == 0 ? 0 : 400,
         (all, 100, MPI_INT, 0, MPI_COMM_WORLD));
    CALL(MPI_Allgatherv, 4 * (rank + 1) * size, 4 * sum,
         (one, rank + 1, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD));
    CALL(MPI_Alltoall, 4 * size, 4 * size,
         (all, 1, MPI_INT, all + 500, 1, MPI_INT, MPI_COMM_WORLD));
    CALL(MPI_Reduce, 8, rank == 0 ? 8 * size : 0,
         (one, all, 2, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD));
    CALL(MPI_Allreduce, 12 * (size - 1), 12 * (size - 1),
         (MPI_IN_PLACE, all, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CALL(MPI_Barrier, 0, 0, (MPI_COMM_WORLD));
    free(all);
}

int main(int argc, char **argv)
{
    int rank, size, provided, peer;
    pthread_t threads[THREADS];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CALL(MPI_Comm_rank, 0, 0, (MPI_COMM_WORLD, &rank));
    CALL(MPI_Comm_size, 0, 0, (MPI_COMM_WORLD, &size));
    for (int count = 0; count < 20; count++) {
        if (rank == 0)
            inlined_send(1, count);
        else if (rank == 1)
            receive(0, count);
    }
    if (rank == 0)
        inlined_send(1, 3);
    else if (rank == 1)
        receive(0, 3);
    ring(rank, size);
    collectives(rank, size);
    library_calls(rank, size);

    peer = MPI_PROC_NULL;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread_calls, &peer);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);

    print_expected_calls();
    MPI_Finalize();
    return 0;
}
#endif
