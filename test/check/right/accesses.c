/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include <stddef.h>
#include <unistd.h>

/* Data of accesses: shorter than the place for it, of other types with the same signature, in an origin that is free
 * again, and up to the end of windows of several sizes. ranks: 2 */
static void access_data(int rank, int size)
{
    int other, *memory, more[4] = {0}, data[8] = {0}, result[8];
    MPI_Aint address, place;
    MPI_Win window;
    MPI_Datatype pair, apart;

    other = 1 - rank;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_vector(2, 1, 7, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Put(data, 5, MPI_INT, other, 0, 8, MPI_INT, window);
    MPI_Win_flush(other, window);
    MPI_Get(data, 8, MPI_INT, other, 0, 5, MPI_INT, window);
    MPI_Win_flush_local(other, window);
    MPI_Get(data, 4, pair, other, 0, 8, MPI_INT, window);
    MPI_Win_flush_local_all(window);
    MPI_Get(data, 8 * sizeof(int), MPI_BYTE, other, 0, 8, MPI_INT, window);
    MPI_Win_flush_all(window);
    MPI_Put(data, 2, MPI_INT, other, 0, 1, apart, window);
    MPI_Put(data, 0, MPI_FLOAT, other, 8, 0, MPI_INT, window);
    MPI_Put(data, 1, MPI_INT, other, 1, 1, MPI_INT, window);
    MPI_Win_flush_all(window);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, result, 8, MPI_INT, other, 0, 8, MPI_INT, MPI_NO_OP, window);
    MPI_Fetch_and_op(&rank, data, MPI_INT, other, 7, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);

    /* one process has no memory */
    MPI_Win_create(more, rank == 0 ? 0 : sizeof more, rank == 0 ? 1 : sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(data, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, more, sizeof more);
    MPI_Get_address(more, &address);
    MPI_Sendrecv(&address, 1, MPI_AINT, other, 0, &place, 1, MPI_AINT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Put(data, 4, MPI_INT, other, place, 4, MPI_INT, window);
    MPI_Win_unlock(other, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(window, more);
    MPI_Win_free(&window);
    MPI_Type_free(&apart);
    MPI_Type_free(&pair);
}

/* Accumulates to the same place: of one process in its order, of several with one operation, and with any if the window
 * has information that may allow it. ranks: 3 */
static void accumulates(int rank, int size)
{
    int *memory, value = 1, old;
    MPI_Win window;
    MPI_Info info;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 1) {
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, window);
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    }
    if (rank == 2)
        MPI_Get_accumulate(NULL, 0, MPI_INT, &old, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window);
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    if (rank == 2)
        MPI_Get_accumulate(&value, 1, MPI_INT, &old, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_fence(0, window);
    if (rank == 1)
        MPI_Get(&old, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    if (rank == 2)
        MPI_Get_accumulate(NULL, 0, MPI_INT, &old, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);

    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ops", "any");
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &memory, &window);
    MPI_Info_free(&info);
    MPI_Win_fence(0, window);
    if (rank > 0)
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, rank == 1 ? MPI_SUM : MPI_PROD, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* Receives of MPI_MESSAGE_NO_PROC, and exchanges without neighbors, which use no memory. ranks: 1 */
static void no_process(int rank, int size)
{
    int value = 0, other = 1, is_there;
    MPI_Comm alone;
    MPI_Message message;
    MPI_Request pending, request;

    MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &pending);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &is_there, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv_c(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);

    /* data that nobody gets */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
                                   &alone);
    MPI_Neighbor_allgather(&value, 1, MPI_INT, &value, 1, MPI_INT, alone);
    MPI_Neighbor_alltoall(&value, 1, MPI_INT, &value, 1, MPI_INT, alone);
    MPI_Comm_free(&alone);

    MPI_Send(&other, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
}

/* Assertions of windows that are true, each for its own epoch and process. ranks: 3 */
static void no_puts(int rank, int size)
{
    int value = 1, got, *memory, targets[2], n = 0;
    MPI_Win window;
    MPI_Group all, group;

    MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < 3; i++) {
        MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : MPI_MODE_NOSTORE, window);   /* differ */
        if (rank > 0)
            MPI_Put(&value, 1, MPI_INT, 3 - rank, 0, 1, MPI_INT, window);
        MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
        MPI_Put(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, window);               /* the next epoch */
        MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, window);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
        MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, window);
        MPI_Win_unlock(rank, window);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < size; i++) {
        if (i != rank)
            targets[n++] = i;
    }
    MPI_Group_incl(all, n, targets, &group);
    for (int i = 0; i < 2; i++) {
        MPI_Win_post(group, i == 0 ? MPI_MODE_NOPUT : 0, window);
        MPI_Win_start(group, 0, window);
        MPI_Get(&got, 1, MPI_INT, targets[0], 0, 1, MPI_INT, window);
        MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
        if (i == 1)
            MPI_Put(&value, 1, MPI_INT, targets[1], 2 - (rank == 1), 1, MPI_INT, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
}

/* Receives from any process for which only one message is possible. ranks: 3 tool: races,timeout=5 */

/* Rank 2 sends when rank 0 says so. */
static void send_in_order(int rank)
{
    int value;

    if (rank == 2)
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

static void no_race(int rank, int size)
{
    int value, values[2];
    MPI_Status status;
    MPI_Request requests[2];

    for (int round = 0; round < 10; round++) {
        /* by the tag */
        if (rank > 0)
            MPI_Send(&rank, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
        else {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        /* by a collective operation */
        for (int i = 1; i < 3; i++) {
            if (rank == i)
                MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            if (rank == 0)
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        /* by messages */
        if (rank == 0) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else
            send_in_order(rank);
        MPI_Barrier(MPI_COMM_WORLD);
        /* by a message that is sent between a probe and its receive */
        if (rank == 0) {
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            MPI_Send(&value, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else
            send_in_order(rank);
        MPI_Barrier(MPI_COMM_WORLD);
        /* by a message, before a receive that names its source */
        if (rank == 0) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else
            send_in_order(rank);
        MPI_Barrier(MPI_COMM_WORLD);
        /* by an earlier receive, which takes the other message */
        if (rank > 0)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        else {
            MPI_Irecv(&values[0], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Wait(&requests[round % 2], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[1 - round % 2], MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        /* by the end of the receive, before a barrier */
        if (rank == 0) {
            MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 2)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        /* by a synchronous send: the first receive has its message when the other sender learns of it */
        if (rank == 0) {
            MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Wait(&requests[round % 2], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[1 - round % 2], MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Ssend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Send(&rank, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Receives from any process, in an order that the tool does not follow: the second message is sent when a flag in a
 * window says that the first one has arrived. ranks: 3 tool: races */
static void no_race_order(int rank, int size)
{
    int *memory, value = 1, flag = 0;
    MPI_Win window;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, window);
        MPI_Win_flush(0, window);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else {
        do {
            MPI_Fetch_and_op(&value, &flag, MPI_INT, 0, 0, MPI_NO_OP, window);
            MPI_Win_flush(0, window);
        } while (!flag);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Accesses at the ends of a window by types with negative lower bounds, gaps, and displacements that are not the
 * first byte of the data. ranks: 2 */
static void window_bounds(int rank, int size)
{
    int other, values[4] = {0}, results[4], one = 1, two[2] = {1, 1};
    char *memory;
    MPI_Aint back = -8, both[2] = {-16, 8}, falling[2] = {8, -16};
    MPI_Datatype behind, apart, backwards, pair;
    MPI_Request requests[4];
    MPI_Win window;

    other = 1 - rank;
    MPI_Type_create_hindexed(1, &one, &back, MPI_INT, &behind);
    MPI_Type_create_hindexed(2, two, both, MPI_INT, &apart);
    MPI_Type_create_hindexed(2, two, falling, MPI_INT, &backwards);
    MPI_Type_vector(2, 1, -2, MPI_INT, &pair);
    MPI_Type_commit(&behind);
    MPI_Type_commit(&apart);
    MPI_Type_commit(&backwards);
    MPI_Type_commit(&pair);
    MPI_Win_allocate(32, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);

    /* bytes 28 to 31 and 0 to 3 */
    MPI_Win_fence(0, window);
    MPI_Put(values, 1, MPI_INT, other, 36, 1, behind, window);
    MPI_Put(values, 1, MPI_INT, other, 8, 1, behind, window);
    MPI_Put_c(values, 1, MPI_INT, other, 24, 1, behind, window);
    MPI_Win_fence(0, window);
    /* 12 to 15 and 20 to 23; 0 to 3 and 24 to 27; 4 to 7 and 28 to 31 */
    MPI_Get(results, 2, MPI_INT, other, 20, 1, pair, window);
    MPI_Get(results + 2, 2, MPI_INT, other, 16, 1, apart, window);
    MPI_Accumulate(values, 2, MPI_INT, other, 20, 1, backwards, MPI_SUM, window);
    MPI_Win_fence(0, window);
    /* two in a row: 24 to 27 and 28 to 31 */
    MPI_Put(values, 2, MPI_INT, other, 32, 2, behind, window);
    MPI_Win_fence(0, window);
    MPI_Get(results, 1, MPI_INT, other, 36, 1, behind, window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(values, 1, MPI_INT, other, 36, 1, behind, MPI_SUM, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);

    MPI_Win_lock_all(0, window);
    MPI_Rput(values, 1, MPI_INT, other, 36, 1, behind, window, &requests[0]);
    MPI_Rget(results, 1, MPI_INT, other, 16, 1, behind, window, &requests[1]);
    MPI_Raccumulate(values, 2, MPI_INT, other, 16, 1, apart, MPI_SUM, window, &requests[2]);
    MPI_Rget_accumulate(values, 1, MPI_INT, results + 1, 1, MPI_INT, other, 28, 1, behind, MPI_NO_OP, window, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(window);

    MPI_Win_free(&window);
    MPI_Type_free(&behind);
    MPI_Type_free(&apart);
    MPI_Type_free(&backwards);
    MPI_Type_free(&pair);
}

/* An exclusive lock orders accesses: a flag that is written under it is read under a shared lock. ranks: 3 */
static void window_exclusive(int rank, int size)
{
    int *memory, value = 1, flag = 0;
    MPI_Win window;

    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window);
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_unlock(2, window);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
        MPI_Put(&value, 1, MPI_INT, 2, 1, 1, MPI_INT, window);
        MPI_Win_unlock(2, window);
    } else if (rank == 1) {
        do {
            MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window);
            MPI_Get(&flag, 1, MPI_INT, 2, 1, 1, MPI_INT, window);
            MPI_Win_unlock(2, window);
        } while (!flag);
        MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window);
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_unlock(2, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    /* all write under exclusive locks */
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
}

/* A process learns by a flag in the window that an access is complete, and another one by its message. ranks: 4 */
static void window_flag(int rank, int size)
{
    int *memory, value = 1, flag = 0;
    MPI_Win window;

    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 3, 0, 1, MPI_INT, window);
        MPI_Win_flush(3, window);
        MPI_Accumulate(&value, 1, MPI_INT, 3, 1, 1, MPI_INT, MPI_REPLACE, window);
        MPI_Win_flush(3, window);
    } else if (rank == 1) {
        do {
            MPI_Fetch_and_op(&value, &flag, MPI_INT, 3, 1, MPI_NO_OP, window);
            MPI_Win_flush(3, window);
        } while (!flag);
        MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&value, 1, MPI_INT, 3, 0, 1, MPI_INT, window);
        MPI_Win_flush(3, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Only the creation of an intercommunicator orders the accesses: its leaders exchange the members of their
 * groups. ranks: 3 */
static void window_groups(int rank, int size)
{
    int *memory;
    MPI_Win window;
    MPI_Comm own, both;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &own);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
    }
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &both);
    if (rank == 2) {
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Comm_free(&both);
    MPI_Comm_free(&own);
    MPI_Win_free(&window);
}

/* A process polls its own memory for a flag, which another one has written after its access was complete. ranks: 3 */
static void window_poll(int rank, int size)
{
    int *memory, value = 1, flag;
    MPI_Win window;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_flush(2, window);
        MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, window);
        MPI_Win_flush(1, window);
    } else if (rank == 1) {
        while (__atomic_load_n(memory, __ATOMIC_ACQUIRE) == 0)
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); /* progress */
        MPI_Put(&value, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* MPI_Rget is complete before the message leaves. ranks: 3 */
static void window_rget(int rank, int size)
{
    int *memory, value = 0, ready = 1;
    MPI_Win window;
    MPI_Request request;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (rank > 0)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    if (rank == 1) {
        MPI_Rget(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, window, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&ready, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Recv(&ready, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
    }
    if (rank > 0)
        MPI_Win_unlock(0, window);
    MPI_Win_free(&window);
}

/* Reductions order accesses of the others before those of the root, broadcasts the other way; both together, all. ranks: 3 */
static void window_rooted(int rank, int size)
{
    int *memory, sum;
    MPI_Win window;
    MPI_Request request;

    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 1) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    if (rank == 2) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Ibcast(&sum, 1, MPI_INT, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Put(&sum, 1, MPI_INT, 0, 3 + rank, 1, MPI_INT, window);
    if (rank == 1)
        MPI_Put(&sum, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Prefix reductions order accesses of lower ranks before those of higher ranks, also on a communicator with another
 * order of the processes. ranks: 3 */
static void window_scan(int rank, int size)
{
    int *memory, sum;
    MPI_Win window;
    MPI_Comm reversed;
    MPI_Request request;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Exscan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Iscan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, reversed);
    if (rank == 0) {
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Comm_free(&reversed);
}

/* Synchronization of windows waits longer than the timeout for a process that computes. ranks: 3 tool: timeout=1 */
static void window_slow(int rank, int size)
{
    int value = 0, first = 0, last = 2;
    MPI_Win window;
    MPI_Group world, origin, target;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &first, &origin);
    MPI_Group_incl(world, 1, &last, &target);
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    if (rank == last)
        sleep(2);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    if (rank == first) {
        MPI_Win_start(target, 0, window);
        MPI_Put(&rank, 1, MPI_INT, last, 0, 1, MPI_INT, window);
        MPI_Win_complete(window);
    } else if (rank == last) {
        sleep(2);
        MPI_Win_post(origin, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 1) {
        if (rank == last)
            usleep(300000);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
        if (rank == first)
            sleep(2);
        MPI_Win_unlock(1, window);
    }
    MPI_Win_free(&window);
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
    MPI_Group_free(&world);
}

CASES(CASE(access_data), CASE(accumulates), CASE(no_process), CASE(no_puts), CASE(no_race),
      CASE(no_race_order), CASE(window_bounds), CASE(window_exclusive), CASE(window_flag),
      CASE(window_groups), CASE(window_poll), CASE(window_rget), CASE(window_rooted),
      CASE(window_scan), CASE(window_slow))
