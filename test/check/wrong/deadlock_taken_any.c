/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A receive from any process was posted first and takes the only message. ranks: 2 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[2];
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
    else {
        MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &request);
        MPI_Probe(0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                         /* expect: deadlock */
        MPI_Recv(&values[1], 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();                                                                 /* expect: deadlock */
    return 0;
}
