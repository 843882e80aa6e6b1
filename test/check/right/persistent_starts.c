/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Persistent collective operations, made, started and freed many times. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, sum, root[2];
    MPI_Request requests[3];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Bcast_init(&root[0], 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
        MPI_Bcast_init(&root[1], 1, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
        for (int j = 0; j < 10; j++) {
            if (rank == 0)
                MPI_Startall(3, requests);
            else
                for (int k = 0; k < 3; k++)
                    MPI_Start(&requests[k]);
            MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        }
        for (int k = 0; k < 3; k++)
            MPI_Request_free(&requests[k]);
    }
    MPI_Finalize();
    return 0;
}
