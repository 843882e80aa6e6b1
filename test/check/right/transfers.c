/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include <unistd.h>

/* Matched messages that arrive in another order than they are received in. ranks: 2 */
static void matched(int rank, int size)
{
    int values[8] = {0}, others[8] = {0};
    MPI_Message message;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    if (rank == 0) {
        MPI_Isend(values, 4, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(others, 8, MPI_FLOAT, 1, 1, MPI_COMM_WORLD, &requests[1]);
    } else {
        MPI_Message second;
        int found = 0;
        MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        while (!found)
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &second, MPI_STATUS_IGNORE);
        MPI_Imrecv(values, 8, MPI_FLOAT, &second, &requests[0]);
        MPI_Imrecv(others, 8, MPI_INT, &message, &requests[1]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Matched messages that are received in time, also after other messages and with requests. ranks: 2 */
static void matched_orders(int rank, int size)
{
    int value = 1, data = 1, flag;
    MPI_Message message, other;
    MPI_Request request, requests[2];

    for (int i = 0; i < 4; i++) {
        if (rank == 1) {
            MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Isend(&data, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[0]);
            MPI_Issend(&data, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[1]);
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else {
            MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Mprobe(1, 3, MPI_COMM_WORLD, &other, MPI_STATUS_IGNORE);
            for (flag = 0; !flag;)
                MPI_Improbe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
            MPI_Mrecv(&flag, 1, MPI_INT, &other, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Many messages before the first receive, and an acknowledgement of all. ranks: 3 tool: timeout=10 */
enum { number = 5000 };

static void producer(int rank, int size)
{
    int value = 0;

    for (int round = 0; round < 2; round++) {
        if (rank == 0) {
            usleep(500000);
            for (int i = 0; i < number * (size - 1); i++)
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 1; i < size; i++)
                MPI_Send(&value, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
        } else {
            for (int i = 0; i < number; i++)
                MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* A probe of any message decides to which process a ready send goes: to that which has said that it receives. ranks: 3 */
static void ready_probe(int rank, int size)
{
    int value = 1;
    MPI_Request request;
    MPI_Status status;

    if (rank == 0)
        for (int i = 0; i < 2; i++) {
            MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            MPI_Rsend(&value, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    else {
        if (rank == 1)
            sleep(1);
        MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Ready sends that are ordered after the start of their receives by different operations. ranks: 3 */
enum { KINDS = 6 };

static void ready_sends(int rank, int size)
{
    int value = 1, sum, values[2 * KINDS];
    MPI_Request requests[2 * KINDS], request;

    MPI_Rsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        if (rank == 1) {
            for (int k = 0; k < KINDS; k++)
                MPI_Irecv(&values[k], 1, MPI_INT, k % 2 ? 0 : MPI_ANY_SOURCE, k, MPI_COMM_WORLD, &requests[k]);
            MPI_Barrier(MPI_COMM_WORLD);                                     /* a collective operation */
            MPI_Send(&value, 1, MPI_INT, 0, 20, MPI_COMM_WORLD);             /* a message */
            MPI_Send(&value, 1, MPI_INT, 2, 21, MPI_COMM_WORLD);             /* messages by another process */
            MPI_Recv(&value, 1, MPI_INT, 0, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);     /* of a synchronous send */
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Waitall(KINDS, requests, MPI_STATUSES_IGNORE);
            MPI_Recv_init(&value, 1, MPI_INT, 0, 30, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
            /* Its two parts have no order */
            MPI_Sendrecv(&value, 1, MPI_INT, 0, 31, &sum, 1, MPI_INT, 0, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Rsend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Irsend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Recv(&value, 1, MPI_INT, 2, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Rsend(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
            MPI_Ssend(&value, 1, MPI_INT, 1, 22, MPI_COMM_WORLD);
            MPI_Rsend_init(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Rsend(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
            MPI_Rsend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Rsend(&value, 1, MPI_INT, 1, 30, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Rsend(&value, 1, MPI_INT, 1, 32, MPI_COMM_WORLD);
        } else {
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 0, 21, MPI_COMM_WORLD);
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Irecv(&sum, 1, MPI_INT, rank, 40, MPI_COMM_WORLD, &request);    /* from itself */
        MPI_Rsend(&value, 1, MPI_INT, rank, 40, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Datatypes that repeat an element have as many bytes as their extent, and a gap. Another operation uses the gap.
 * ranks: 2 */

#define N 4     /* elements of the data: 0, 0, 2, 3 */

/* Sends the data and receives into the gap. */
static void exchange(MPI_Datatype type, int other)
{
    int data[N] = {0, 1, 2, 3}, got[N], all[2 * N];
    MPI_Request gap, sent, persistent;

    MPI_Irecv(&data[1], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &gap);
    MPI_Sendrecv(data, 1, type, other, 2, got, N, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(data, 1, type, other, 3, MPI_COMM_WORLD, &sent);
    MPI_Recv(got, N, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Send_init(data, 1, type, other, 4, MPI_COMM_WORLD, &persistent);
    MPI_Start(&persistent);
    MPI_Recv(got, N, MPI_INT, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    MPI_Request_free(&persistent);
    MPI_Allgather(data, 1, type, all, N, MPI_INT, MPI_COMM_WORLD);
    MPI_Send(&other, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&gap, MPI_STATUS_IGNORE);
}

/* One process reads the data, the other one writes to the gap, in one epoch. */
static void access_data(MPI_Datatype type, int rank, MPI_Win window)
{
    int got[N], value = 5;

    if (rank == 0)
        MPI_Get(got, N, MPI_INT, 0, 0, 1, type, window);
    else
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
}

static void repeated_types(int rank, int size)
{
    int n = 0, *memory, ones[N] = {1, 1, 1, 1}, places[N] = {0, 0, 2, 3}, falling[N] = {3, 2, 0, 0};
    int lengths[2] = {1, 2};
    MPI_Aint bytes[N] = {0, 0, 8, 12}, parts[2] = {0, 8};
    MPI_Count large_ones[N] = {1, 1, 1, 1}, large_places[N] = {0, 0, 2, 3};
    MPI_Datatype ints[N] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT}, structure[2] = {MPI_DATATYPE_NULL, MPI_INT};
    MPI_Datatype types[16], twice;
    MPI_Win window;

    MPI_Type_create_indexed_block(N, 1, places, MPI_INT, &types[n++]);
    MPI_Type_create_indexed_block(N, 1, falling, MPI_INT, &types[n++]);
    MPI_Type_indexed(N, ones, places, MPI_INT, &types[n++]);
    MPI_Type_indexed_c(N, large_ones, large_places, MPI_INT, &types[n++]);
    MPI_Type_create_hindexed(N, ones, bytes, MPI_INT, &types[n++]);
    MPI_Type_create_hindexed_block(N, 1, bytes, MPI_INT, &types[n++]);
    MPI_Type_create_struct(N, ones, bytes, ints, &types[n++]);

    /* with a vector whose blocks are in the same memory */
    MPI_Type_create_hvector(2, 1, 0, MPI_INT, &twice);
    structure[0] = twice;
    MPI_Type_create_struct(2, lengths, parts, structure, &types[n++]);
    MPI_Type_free(&twice);

    /* made of such a type */
    MPI_Type_dup(types[0], &types[n++]);
    MPI_Type_contiguous(1, types[0], &types[n++]);
    MPI_Type_vector(1, 1, 5, types[0], &types[n++]);
    MPI_Type_create_resized(types[0], 0, sizeof(int[N]), &types[n++]);

    MPI_Win_allocate(sizeof(int[N]), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < n; i++) {
        MPI_Type_commit(&types[i]);
        exchange(types[i], 1 - rank);
        access_data(types[i], rank, window);
        MPI_Type_free(&types[i]);
    }
    MPI_Win_free(&window);
}

/* One process works for a long time while the others wait for it. ranks: 3 tool: timeout=1 */
static void slow(int rank, int size)
{
    int value = 0;

    if (rank == 0)
        sleep(4);
    if (rank < 2)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    /* in MPI, but not blocked in it */
    if (rank == 0) {
        int is_there = 0;
        double begin = MPI_Wtime();
        while (MPI_Wtime() < begin + 3)
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    }
}

/* Exact types, and packed data. ranks: 2 tool: strict */
static void strict_types(int rank, int size)
{
    int value = 1, position = 0;
    struct {
        float value;
        int place;
    } pair = {0, 0}, result;
    float parts[4] = {0};
    char text[64] = "";
    MPI_Datatype type;

    MPI_Type_contiguous(2, MPI_C_FLOAT_COMPLEX, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_UNSIGNED, 1, 0, MPI_COMM_WORLD);
        MPI_Send(&value, 4, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Pack(&value, 1, MPI_INT, text, 64, &position, MPI_COMM_WORLD);
        MPI_Send(text, position, MPI_PACKED, 1, 2, MPI_COMM_WORLD);
        MPI_Send(parts, 1, type, 1, 3, MPI_COMM_WORLD);
        MPI_Send(&pair, 1, MPI_FLOAT_INT, 1, 4, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_UNSIGNED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(text, 64, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(parts, 2, MPI_C_FLOAT_COMPLEX, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&pair, 1, MPI_FLOAT_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&pair, &result, 1, MPI_FLOAT_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Type_free(&type);
}

CASES(CASE(matched), CASE(matched_orders), CASE(producer), CASE(ready_probe), CASE(ready_sends),
      CASE(repeated_types), CASE(slow), CASE(strict_types))
