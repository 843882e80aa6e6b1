/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The second receive has fewer partitions than the second send; they match as they were made. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[2][8] = {{0}};
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        if (rank == 0)
            MPI_Psend_init(values[i], 2 + 2 * i, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
        else
            MPI_Precv_init(values[i], 4, 1 + i / 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);        /* expect: truncation */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
    MPI_Finalize();
    return 0;
}
