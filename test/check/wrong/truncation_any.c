/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A message from any source is longer than the buffer, and the program continues. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[10] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Send(values, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(values, 5, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* expect: truncation */
    MPI_Finalize();
    return 0;
}
