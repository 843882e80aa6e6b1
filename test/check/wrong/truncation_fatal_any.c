/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A message from any source is longer than the buffer; the library ends the job in MPI_Wait. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[10] = {0};
    MPI_Comm comm;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (rank == 0)
        MPI_Send(values, 10, MPI_INT, 1, 0, comm);
    else {
        MPI_Irecv(values, 5, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);   /* expect: truncation */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
