/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Datatypes that repeat an element, or that have their elements in another order: another operation uses their data.
 * ranks: 2 */
#include <mpi.h>
#include <stdlib.h>

#define N 4
#define LARGE (1 << 20)

int main(int argc, char **argv)
{
    int rank, other, data[N] = {0}, got[N], places[N] = {0, 0, 2, 3}, order[N] = {3, 1, 0, 2}, ones[N] = {1, 1, 1, 1};
    int halves[2] = {LARGE, 0}, lengths[2] = {LARGE, LARGE};
    int *much = calloc(2 * LARGE, sizeof(int)), *result = calloc(2 * LARGE, sizeof(int)), *memory;
    MPI_Datatype type, permuted, large;
    MPI_Request request;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Type_create_indexed_block(N, 1, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_indexed(N, ones, order, MPI_INT, &permuted);
    MPI_Type_commit(&permuted);
    MPI_Type_indexed(2, lengths, halves, MPI_INT, &large);
    MPI_Type_commit(&large);

    MPI_Irecv(&data[2], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    MPI_Sendrecv(data, 1, type, other, 2, got, N, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);    /* expect: buffer overlap */
    MPI_Sendrecv(data, 1, permuted, other, 2, got, N, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);        /* expect: buffer overlap */
    MPI_Send(got, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(&much[2 * LARGE - 1], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &request);
    MPI_Sendrecv(much, 1, large, other, 2, result, 2 * LARGE, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);        /* expect: buffer overlap */
    MPI_Send(got, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* received twice into the same element */
    MPI_Sendrecv(got, N, MPI_INT, other, 2, data, 1, type, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);    /* expect: buffer overlap */

    MPI_Win_allocate(sizeof(int[N]), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Get(got, N, MPI_INT, 0, 0, 1, type, window);    /* either: access conflict */
    else
        MPI_Put(&other, 1, MPI_INT, 0, 2, 1, MPI_INT, window);      /* either: access conflict */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Type_free(&type);
    MPI_Type_free(&permuted);
    MPI_Type_free(&large);
    free(much);
    free(result);
    MPI_Finalize();
    return 0;
}
