/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The receiver of partitions knows what their sender had done before it marked the last one, not what others do.
 * ranks: 3 tool: races */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value, values[2] = {0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 2; round++) {
        /* in the first round, 0 tells 2 that it has the message of 1 */
        const int teller = round;

        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  /* expect: message race */
        if (rank == teller) {
            MPI_Psend_init(values, 2, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
            MPI_Start(&request);
            MPI_Pready_range(0, 1, request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
        if (rank == 2) {
            MPI_Precv_init(values, 1, 2, MPI_INT, teller, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
            MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
        }
        if (rank == 0)
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
