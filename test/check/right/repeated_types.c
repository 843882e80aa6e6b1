/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Datatypes that repeat an element have as many bytes as their extent, and a gap. Another operation uses the gap.
 * ranks: 2 */
#include <mpi.h>

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

int main(int argc, char **argv)
{
    int rank, n = 0, *memory, ones[N] = {1, 1, 1, 1}, places[N] = {0, 0, 2, 3}, falling[N] = {3, 2, 0, 0};
    int lengths[2] = {1, 2};
    MPI_Aint bytes[N] = {0, 0, 8, 12}, parts[2] = {0, 8};
    MPI_Count large_ones[N] = {1, 1, 1, 1}, large_places[N] = {0, 0, 2, 3};
    MPI_Datatype ints[N] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT}, structure[2] = {MPI_DATATYPE_NULL, MPI_INT};
    MPI_Datatype types[16], twice;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
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
    MPI_Finalize();
    return 0;
}
