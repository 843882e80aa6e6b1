/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"

/* The buffer is written to while it is being sent. ranks: 2 tool: checksums */
static void buffer_changed(int rank, int size)
{
    int value = 1, other;
    MPI_Request request;

    MPI_Issend(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);          /* expect: buffer changed */
    value = 5;
    MPI_Recv(&other, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A message of MPI_Isendrecv, which MPICH sets no status for, has another type, and is not received. ranks: 2 */
static void isendrecv(int rank, int size)
{
    int value = 1, other, is_done;
    float real;
    MPI_Request request;

    MPI_Isendrecv(&value, 1, MPI_INT, 1 - rank, 1, &real, 1, MPI_FLOAT, 1 - rank, 1, MPI_COMM_WORLD, &request);     /* expect: type mismatch */
    do
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    while (!is_done);
    if (rank == 0) {
        MPI_Isendrecv(&value, 1, MPI_INT, 1, 2, &other, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);        /* expect: message not received */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
}

/* A message is received into the block of the last process. */
static void overlap_alltoallv(int rank, int size)
{
    static int data[4], all[16];
    const int counts[] = {2, 2}, here[] = {0, 2}, there[] = {8, 0};
    MPI_Request requests[2];

    MPI_Ialltoallv(data, counts, here, MPI_INT, all, counts, there, MPI_INT, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(all + 9, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &requests[1]);  /* expect: buffer overlap */
    MPI_Send(data + 3, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* The blocks of two processes have a place in common in the result. */
static void overlap_blocks(int rank, int size)
{
    static int data[4], all[8];
    const int counts[] = {3, 3}, places[] = {0, 2};
    int root;

    for (root = 0; root < 2; root++)
        MPI_Gatherv(data, 3, MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD);   /* expect: buffer overlap */
}

/* Two receives into columns of a matrix that have an element in common. */
static void overlap_gaps(int rank, int size)
{
    static double matrix[8][8], column[8];
    MPI_Datatype type, elements;
    MPI_Request requests[3];
    const int lengths[] = {1, 1}, places[] = {0, 2 * 8 + 1};

    MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &type);
    MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &elements);
    MPI_Type_commit(&type);
    MPI_Type_commit(&elements);
    if (rank == 0) {
        MPI_Irecv(matrix, 1, type, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&matrix[0][1], 1, type, 1, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Irecv(&matrix[0][0], 1, elements, 1, 2, MPI_COMM_WORLD, &requests[2]);   /* expect: buffer overlap */
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 1) {
        MPI_Send(column, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Send(column, 8, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
        MPI_Send(column, 2, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Type_free(&type);
    MPI_Type_free(&elements);
}

/* Receives into the origins of one-sided operations that are not complete, and other such operations. ranks: 2 */
static void overlap_origin(int rank, int size)
{
    int peer, put, got, values[4] = {0};
    MPI_Win window;

    peer = 1 - rank;
    put = got = rank;
    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    MPI_Put(&put, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
    MPI_Sendrecv(&rank, 1, MPI_INT, peer, 0, &put, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);         /* expect: buffer overlap */
    MPI_Win_flush(peer, window);
    MPI_Sendrecv(&rank, 1, MPI_INT, peer, 0, &put, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Get(&got, 1, MPI_INT, peer, 1, 1, MPI_INT, window);
    MPI_Sendrecv(&got, 1, MPI_INT, peer, 0, &rank, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);         /* expect: buffer overlap */
    MPI_Win_flush_local(peer, window);
    MPI_Get(&got, 1, MPI_INT, peer, 1, 1, MPI_INT, window);
    MPI_Get(&got, 1, MPI_INT, peer, 2, 1, MPI_INT, window);                         /* expect: buffer overlap */
    MPI_Win_flush_local(peer, window);
    MPI_Get(&got, 1, MPI_INT, peer, 1, 1, MPI_INT, window);
    MPI_Put(&got, 1, MPI_INT, peer, 2, 1, MPI_INT, window);                         /* expect: buffer overlap */
    MPI_Win_flush(peer, window);
    MPI_Put(&put, 1, MPI_INT, peer, 2, 1, MPI_INT, window);
    MPI_Fetch_and_op(&rank, &put, MPI_INT, peer, 3, MPI_SUM, window);               /* expect: buffer overlap */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* A persistent receive is active where a reduction reads. ranks: 2 */
static void overlap_persistent(int rank, int size)
{
    int values[4] = {0}, others[4] = {0};
    MPI_Request request;

    MPI_Recv_init(values, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Allreduce(values, others, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Start(&request);
    MPI_Allreduce(values, others, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);             /* expect: buffer overlap */
    MPI_Send(others, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* A receive writes to what is still being sent. ranks: 2 */
static void overlap_send(int rank, int size)
{
    int values[8] = {0};
    MPI_Request request;

    MPI_Isend(values, 8, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(values, 8, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: buffer overlap */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Both buffers are the same. ranks: 2 */
static void overlap_sendrecv(int rank, int size)
{
    int values[8] = {0};

    MPI_Sendrecv(values, 4, MPI_INT, 1 - rank, 0, values + 2, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,  /* expect: buffer overlap */
                 MPI_STATUS_IGNORE);
}

/* Persistent operations are started while a receive uses their memory. */
static void overlap_start(int rank, int size)
{
    static int data[2], room[2];
    MPI_Request made[2], pending;

    MPI_Send_init(room, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &made[0]);
    MPI_Allgather_init(data, 1, MPI_INT, room, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &made[1]);
    MPI_Irecv(room, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &pending);
    MPI_Start(&made[1]);        /* expect: buffer overlap */
    MPI_Wait(&made[1], MPI_STATUS_IGNORE);
    MPI_Start(&made[0]);        /* expect: buffer overlap */
    MPI_Wait(&made[0], MPI_STATUS_IGNORE);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    MPI_Request_free(&made[0]);
    MPI_Request_free(&made[1]);
}

/* A receive with a datatype whose data overlaps; to send it is right. ranks: 2 */
static void overlap_type(int rank, int size)
{
    float data[64] = {0};
    MPI_Datatype type;
    MPI_Request request;

    MPI_Type_create_hvector(16, 1, 3, MPI_FLOAT, &type);
    MPI_Type_commit(&type);
    if (rank == 0) {
        MPI_Send(data, 1, type, 1, 0, MPI_COMM_WORLD);
        MPI_Send(data, 1, type, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);           /* expect: buffer overlap */
        MPI_Recv_init(data, 1, type, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Start(&request);                                                        /* expect: buffer overlap */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    MPI_Bcast(data, 1, type, 1, MPI_COMM_WORLD);                                    /* expect: buffer overlap */
    MPI_Type_free(&type);
}

CASES(CASE(buffer_changed), CASE(isendrecv), CASE(overlap_alltoallv), CASE(overlap_blocks),
      CASE(overlap_gaps), CASE(overlap_origin), CASE(overlap_persistent), CASE(overlap_send),
      CASE(overlap_sendrecv), CASE(overlap_start), CASE(overlap_type))
