/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* The requests of a send and of a receive are freed; the program does not wait for them. ranks: 2 */
static void freed_receive(int rank, int size)
{
    int early[20], late, own;
    MPI_Request request;

    own = rank;
    for (int i = 0; i < 20; i++) {
        MPI_Irecv(&early[i], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
        if (rank == 0) {
            MPI_Send(&own, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Issend(&own, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
        } else {
            MPI_Recv(&late, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Issend(&own, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Handles of requests that were freed are those of later ones. ranks: 2 */
static void freed_request(int rank, int size)
{
    int sent = 1, got;
    MPI_Request persistent, requests[2];

    for (int i = 0; i < 8; i++) {
        MPI_Recv_init(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &persistent);
        MPI_Start(&persistent);
        MPI_Send(&sent, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        MPI_Wait(&persistent, MPI_STATUS_IGNORE);
        MPI_Request_free(&persistent);
        MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&sent, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Isend(&sent, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Request_free(&requests[0]);
        MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
}

/* MPI_Request_get_status shows that an operation is complete. tool: checksums,timeout=5 ranks: 3 */

static void poll(MPI_Request request)
{
    int is_complete = 0;
    while (!is_complete)
        MPI_Request_get_status(request, &is_complete, MPI_STATUS_IGNORE);
}

static void get_status(int rank, int size)
{
    int next, before, sent = 1, received, again, *memory, is_complete, both[2];
    MPI_Win window;
    MPI_Request request, requests[2];

    next = (rank + 1) % 3;
    before = (rank + 2) % 3;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);

    /* its memory may be used */
    MPI_Irecv(&received, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&sent, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    poll(request);
    poll(request);
    received++;
    MPI_Sendrecv(&received, 1, MPI_INT, next, 1, &again, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* a persistent one: complete when inactive, too */
    MPI_Recv_init(&received, 1, MPI_INT, before, 2, MPI_COMM_WORLD, &request);
    poll(request);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        MPI_Send(&sent, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
        poll(request);
        MPI_Sendrecv(&received, 1, MPI_INT, next, 1, &again, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
#if MPICH_NUMVERSION < 50000000   /* later ones take the request for inactive */
    MPI_Start(&request);
    MPI_Send(&sent, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
    poll(request);
    MPI_Cancel(&request);   /* still active */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Request_free(&request);

    /* accesses are ordered */
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&sent, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_flush(2, window);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    poll(request);
    if (rank == 1)
        MPI_Put(&sent, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);

    /* a send that is complete does not wait for its receive */
    for (int i = 0; i < 2; i++)
        MPI_Isend(&sent, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[i]);
    MPI_Request_get_status(requests[0], &is_complete, MPI_STATUS_IGNORE);
    if (is_complete)
        MPI_Request_get_status(requests[1], &is_complete, MPI_STATUS_IGNORE);
    if (is_complete)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Recv(&both[i], 1, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!is_complete)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION > 0)
    int index, indices[2], number, more[2];
    for (int form = 0; form < 3; form++) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&both[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 2; i++)
            MPI_Send(&sent, 1, MPI_INT, next, i, MPI_COMM_WORLD);
        if (form == 0)
            for (is_complete = 0; !is_complete;)
                MPI_Request_get_status_all(2, requests, &is_complete, MPI_STATUSES_IGNORE);
        else if (form == 1)
            for (int i = 0; i < 2; i++)
                for (is_complete = 0; !is_complete;)
                    MPI_Request_get_status_any(1, &requests[i], &index, &is_complete, MPI_STATUS_IGNORE);
        else
            for (number = 0; number < 2;) {
                /* MPICH 5.0.1 makes no progress there while one of the requests is complete. */
                MPI_Iprobe(next, 5, MPI_COMM_WORLD, &is_complete, MPI_STATUS_IGNORE);
                MPI_Request_get_status_some(2, requests, &number, indices, MPI_STATUSES_IGNORE);
            }
        both[0]++;
        MPI_Sendrecv(both, 2, MPI_INT, next, 4, more, 2, MPI_INT, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
#endif
    MPI_Win_free(&window);
}

/* Partitioned communication: rounds, other divisions of the same data, what arrived is used at once. ranks: 2 */
static void partitioned(int rank, int size)
{
    int has_arrived, values[12] = {0}, copy[3] = {0};
    MPI_Request requests[2], message;

    if (rank == 0) {
        MPI_Psend_init(values, 4, 3, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Psend_init(values, 1, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    } else {
        MPI_Precv_init(values, 4, 3, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Precv_init(copy, 1, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    }

    for (int round = 0; round < 3; round++) {
        MPI_Start(&requests[0]);
        /* A message of the same tag is no counterpart. */
        if (rank == 0) {
            MPI_Send(&round, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
            for (int i = 3; i > 1; i--) {
                values[3 * i] = round;  /* not ready yet */
                MPI_Pready(i, requests[0]);
            }
            MPI_Irecv(values, 6, MPI_INT, 0, 7, MPI_COMM_WORLD, &message);      /* neither are these */
            MPI_Send(copy, 3, MPI_INT, 0, 7, MPI_COMM_WORLD);
            MPI_Wait(&message, MPI_STATUS_IGNORE);
            MPI_Pready_list(2, (int[]){1, 0}, requests[0]);
        } else {
            MPI_Recv(copy, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            do {
                MPI_Parrived(requests[0], 2, &has_arrived);
            } while (!has_arrived);
            MPI_Isend(values + 6, 3, MPI_INT, 1, 6, MPI_COMM_WORLD, &message);
            MPI_Recv(copy, 3, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&message, MPI_STATUS_IGNORE);
            if (copy[0] != round)
                abort();
        }
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);

    /* no partitions arrive, or none with data */
    MPI_Psend_init(values, 2, 0, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(copy, 2, 0, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Pready_range(0, 1, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
}

/* Rank 0 waits for a message or a persistent barrier, which rank 2 starts late. ranks: 3 tool: timeout=1 */
static void persistent_any(int rank, int size)
{
    int value = 0, done;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    if (rank == 2)
        sleep(3);
    if (rank == 0)
        MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[0]);
    if (rank == 0) {
        MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);     /* the barrier */
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
}

/* A persistent barrier orders the accesses of two processes. ranks: 3 */
static void persistent_order(int rank, int size)
{
    int *memory;
    MPI_Win window;
    MPI_Request barrier;

    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_flush(2, window);
    }
    MPI_Start(&barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Request_free(&barrier);
}

/* Persistent collective operations, made, started and freed many times. ranks: 2 */
static void persistent_starts(int rank, int size)
{
    int one = 1, sum, root[2];
    MPI_Request requests[3];

    for (int i = 0; i < 10; i++) {
        MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Bcast_init(&root[0], 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
        MPI_Bcast_init(&root[1], 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
        for (int j = 0; j < 10; j++) {
            if (rank == 0)
                MPI_Startall(3, requests);
            else
                for (int k = 0; k < 3; k++)
                    MPI_Start(&requests[k]);
            MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        }
        for (int k = 0; k < 3; k++)
            MPI_Request_free(&requests[k]);
    }
}

/* Arguments that MPI ignores, though MPICH refuses them. ranks: 1 */
static void refused(int rank, int size)
{
    const MPI_Comm self = MPI_COMM_SELF;
    int value = 1, counts[2] = {1, 0}, dims[1] = {1}, periods[1] = {0};
    MPI_Aint places[2] = {0, 0};
    MPI_Comm alone, edge;
    MPI_Datatype type, types[2];
    MPI_Message message;
    MPI_Request request;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    MPI_Dist_graph_create_adjacent(self, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &alone);
    MPI_Cart_create(self, 1, dims, periods, 0, &edge);

    /* the result of the first process */
    MPI_Exscan(&value, NULL, 1, MPI_INT, MPI_SUM, self);
    MPI_Iexscan(&value, NULL, 1, MPI_INT, MPI_SUM, self, &request);
    MPI_Exscan_init(&value, NULL, 1, MPI_INT, MPI_SUM, self, MPI_INFO_NULL, &request);
    MPI_Exscan_c(&value, NULL, 1, MPI_INT, MPI_SUM, self);

    /* data of nobody, or beyond the edge of a grid */
    MPI_Neighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone);
    MPI_Neighbor_allgather(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone);
    MPI_Neighbor_allgatherv(NULL, 1, MPI_INT, NULL, counts, counts, MPI_INT, alone);
    MPI_Ineighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone, &request);
    MPI_Neighbor_allgather_init(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone, MPI_INFO_NULL, &request);
    MPI_Neighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, edge);
    counts[1] = 1;
    MPI_Neighbor_alltoallv(NULL, counts, counts, MPI_INT, NULL, counts, counts, MPI_INT, edge);
    counts[1] = 0;

    /* a receive from no process */
    MPI_Mprobe(MPI_PROC_NULL, 0, self, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(NULL, 1, MPI_INT, &message, MPI_STATUS_IGNORE);

    /* the type of an empty block */
    MPI_Type_contiguous(2, MPI_INT, &type);
    types[0] = MPI_INT;
    types[1] = type;
    MPI_Type_free(&type);
    MPI_Type_create_struct(2, counts, places, types, &type);
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&edge);
}

/* Flush and unlock complete operations that have a request; MPI_NO_OP ignores the origin. tool: checksums ranks: 2 */
static void request_flush(int rank, int size)
{
    int other, *memory, value = 0, copy, ignored = 0, old;
    MPI_Win window;
    MPI_Request request;

    other = 1 - rank;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Rget(&value, 1, MPI_INT, other, 0, 1, MPI_INT, window, &request);
    MPI_Win_flush(other, window);
    MPI_Sendrecv(&value, 1, MPI_INT, other, 0, &copy, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rput(&value, 1, MPI_INT, other, 1, 1, MPI_INT, window, &request);
    MPI_Win_flush_local(other, window);
    value++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Raccumulate(&value, 1, MPI_INT, other, 2, 1, MPI_INT, MPI_SUM, window, &request);
    MPI_Win_unlock_all(window);
    value++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Irecv(&ignored, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Fetch_and_op(&ignored, &old, MPI_INT, other, 3, MPI_NO_OP, window);
    MPI_Get(&copy, 1, MPI_INT, other, 3, 1, MPI_INT, window);   /* both read */
    MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ignored++;
    MPI_Win_flush(other, window);
    MPI_Win_unlock(other, window);
    MPI_Win_free(&window);
}

CASES(CASE(freed_receive), CASE(freed_request), CASE(get_status), CASE(partitioned),
      CASE(persistent_any), CASE(persistent_order), CASE(persistent_starts), CASE(refused),
      CASE(request_flush))
