/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A message of MPI_Isendrecv, which MPICH sets no status for, has another type, and is not received. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, other, is_done;
    float real;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Isendrecv(&value, 1, MPI_INT, 1 - rank, 1, &real, 1, MPI_FLOAT, 1 - rank, 1, MPI_COMM_WORLD, &request);     /* expect: type mismatch */
    do
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    while (!is_done);
    if (rank == 0) {
        MPI_Isendrecv(&value, 1, MPI_INT, 1, 2, &other, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);        /* expect: message not received */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else
        MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
