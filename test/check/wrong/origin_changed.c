/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Changes memory that a one-sided, a collective and a persistent operation read. tool: checksums ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, sum, values[4] = {0};
    MPI_Win window;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window);                   /* expect: buffer changed */
    value++;
    MPI_Win_fence(0, window);
    value++;
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);    /* expect: buffer changed */
    value++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);     /* expect: buffer changed */
    MPI_Start(&request);
    value++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    value++;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
