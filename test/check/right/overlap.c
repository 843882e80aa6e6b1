/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Buffers that interleave or touch. Each operation is pending when the next one starts. tool: checksums */
#include <mpi.h>
#include <stddef.h>

#define MANY 16

static MPI_Request requests[MANY];
static int number;
static int rank, other;

static MPI_Request *next(void)
{
    return &requests[number++];
}

static void wait_for_all(void)
{
    MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
    number = 0;
}

/* Even columns are received, odd ones sent. */
static void columns(void)
{
    static double matrix[6][8];
    MPI_Datatype column, wide;

    MPI_Type_vector(6, 1, 8, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, 2 * sizeof(double), &wide);
    MPI_Type_commit(&wide);
    MPI_Irecv(&matrix[0][0], 4, wide, other, 0, MPI_COMM_WORLD, next());
    for (int i = 1; i < 8; i += 2)
        MPI_Isend(&matrix[0][i], 1, wide, other, 1, MPI_COMM_WORLD, next());
    for (int i = 0; i < 4; i++) {
        static double room[4][6];
        MPI_Irecv(room[i], 6, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, next());
    }
    MPI_Isend(&matrix[0][1], 4, wide, other, 0, MPI_COMM_WORLD, next());
    wait_for_all();
    MPI_Type_free(&column);
    MPI_Type_free(&wide);
}

struct entry {
    int id;
    double value;
    char mark;
};

/* Members of a structure around those that are received. */
static void structures(void)
{
    static struct entry data[5], copy[5];
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {offsetof(struct entry, id), offsetof(struct entry, mark)};
    MPI_Datatype types[] = {MPI_INT, MPI_CHAR}, ends, all;
    static double values[5];

    MPI_Type_create_struct(2, lengths, places, types, &ends);
    MPI_Type_create_resized(ends, 0, sizeof data[0], &all);
    MPI_Type_commit(&all);
    MPI_Isend(data, 5, all, other, 2, MPI_COMM_WORLD, next());
    for (int i = 0; i < 5; i++)
        MPI_Irecv(&data[i].value, 1, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, next());
    for (int i = 0; i < 5; i++)
        MPI_Isend(&values[i], 1, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, next());
    MPI_Irecv(copy, 5, all, other, 2, MPI_COMM_WORLD, next());
    wait_for_all();
    MPI_Type_free(&ends);
    MPI_Type_free(&all);
}

/* A type whose data overlaps is sent; types with gaps of the compiler are received. */
static void types(void)
{
    static float data[64], packed[16];
    static struct {
        short value;
        int index;
    } shorts[3], short_copies[3];
    static struct {
        long double value;
        int index;
    } longs[3], long_copies[3];
    MPI_Datatype overlapping;

    MPI_Type_create_hvector(16, 1, 3, MPI_FLOAT, &overlapping);
    MPI_Type_commit(&overlapping);
    MPI_Isend(data, 1, overlapping, other, 4, MPI_COMM_WORLD, next());
    MPI_Irecv(packed, 16, MPI_FLOAT, other, 4, MPI_COMM_WORLD, next());
    MPI_Isend(shorts, 3, MPI_SHORT_INT, other, 5, MPI_COMM_WORLD, next());
    MPI_Irecv(short_copies, 3, MPI_SHORT_INT, other, 5, MPI_COMM_WORLD, next());
    MPI_Isend(longs, 3, MPI_LONG_DOUBLE_INT, other, 6, MPI_COMM_WORLD, next());
    MPI_Irecv(long_copies, 3, MPI_LONG_DOUBLE_INT, other, 6, MPI_COMM_WORLD, next());
    wait_for_all();
    MPI_Bcast(data, 1, overlapping, 0, MPI_COMM_SELF);
    MPI_Type_free(&overlapping);
}

/* Blocks in reverse order; places between them, and buffers that only other processes use. */
static void collectives(void)
{
    static int data[8], all[16], space[8];
    const int counts[] = {2, 2}, here[] = {0, 2}, there[] = {8, 0}, one[] = {1, 1};

    MPI_Ialltoallv(data, counts, here, MPI_INT, all, counts, there, MPI_INT, MPI_COMM_WORLD, next());
    MPI_Irecv(all + 2, 6, MPI_INT, other, 4, MPI_COMM_WORLD, next());
    MPI_Isend(data + 1, 6, MPI_INT, other, 4, MPI_COMM_WORLD, next());
    MPI_Ireduce(data, rank == 0 ? space : all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, next());
    MPI_Igather(data, 2, MPI_INT, rank == 1 ? space + 1 : all, 2, MPI_INT, 1, MPI_COMM_WORLD, next());
    MPI_Iexscan(data, rank == 1 ? space + 5 : all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, next());
    MPI_Ireduce_scatter(data + 4, space + 6, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD, next());
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all + 10, 2, MPI_INT, MPI_COMM_WORLD, next());
    MPI_Ireduce_scatter_block(MPI_IN_PLACE, all + 14, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, next());
    wait_for_all();
}

/* The first and last process of a line have a block that nobody fills. */
static void neighbours(void)
{
    static int data[4], blocks[4];
    const int size = 2, period = 0;
    MPI_Comm line;
    MPI_Request request;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &line);
    MPI_Ineighbor_alltoall(data, 2, MPI_INT, blocks, 2, MPI_INT, line, &request);
    MPI_Irecv(blocks + (rank == 0 ? 0 : 2), 2, MPI_INT, other, 5, MPI_COMM_WORLD, next());
    MPI_Isend(data, 2, MPI_INT, other, 5, MPI_COMM_WORLD, next());
    wait_for_all();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&line);
}

/* Made while a receive uses the buffer, started afterwards. */
static void persistent(void)
{
    static int data[2], room[2];
    MPI_Request made[2];

    MPI_Irecv(room, 2, MPI_INT, other, 6, MPI_COMM_WORLD, next());
    MPI_Recv_init(room, 2, MPI_INT, other, 7, MPI_COMM_WORLD, &made[0]);
    MPI_Allgather_init(data, 1, MPI_INT, room, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &made[1]);
    MPI_Isend(data, 2, MPI_INT, other, 6, MPI_COMM_WORLD, next());
    wait_for_all();
    MPI_Start(&made[0]);
    MPI_Send(data, 2, MPI_INT, other, 7, MPI_COMM_WORLD);
    MPI_Wait(&made[0], MPI_STATUS_IGNORE);
    MPI_Start(&made[1]);
    MPI_Wait(&made[1], MPI_STATUS_IGNORE);
    MPI_Request_free(&made[0]);
    MPI_Request_free(&made[1]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = !rank;
    columns();
    structures();
    types();
    collectives();
    neighbours();
    persistent();
    MPI_Finalize();
    return 0;
}
