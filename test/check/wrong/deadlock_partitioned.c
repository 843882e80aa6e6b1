/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Partitioned operations whose other side is not made, or is an ordinary receive.
 * ranks: 4 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[4] = {0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Precv_init(values, 2, 2, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);              /* expect: deadlock */
        MPI_Request_free(&request);
    } else if (rank == 2) {
        MPI_Psend_init(values, 2, 2, MPI_INT, 3, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, 1, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);              /* expect: deadlock */
        MPI_Request_free(&request);
    } else if (rank == 3)
        MPI_Recv(values, 4, MPI_INT, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      /* expect: deadlock */
    MPI_Finalize();                                         /* expect: deadlock */
    return 0;
}
