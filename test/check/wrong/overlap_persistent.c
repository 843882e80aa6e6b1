/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A persistent receive is active where a reduction reads. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    int values[4] = {0}, others[4] = {0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv_init(values, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Allreduce(values, others, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Start(&request);
    MPI_Allreduce(values, others, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);             /* expect: buffer overlap */
    MPI_Send(others, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
