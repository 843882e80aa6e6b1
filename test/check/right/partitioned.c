/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Partitioned communication: rounds, other divisions of the same data, what arrived is used at once. ranks: 2 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, has_arrived, values[12] = {0}, copy[3] = {0};
    MPI_Request requests[2], message;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Psend_init(values, 4, 3, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Psend_init(values, 1, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    } else {
        MPI_Precv_init(values, 4, 3, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
        MPI_Precv_init(copy, 1, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    }

    for (int round = 0; round < 3; round++) {
        MPI_Start(&requests[0]);
        /* A message of the same tag is no counterpart. */
        if (rank == 0) {
            MPI_Send(&round, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
            for (int i = 3; i > 1; i--) {
                values[3 * i] = round;  /* not ready yet */
                MPI_Pready(i, requests[0]);
            }
            MPI_Irecv(values, 6, MPI_INT, 0, 7, MPI_COMM_WORLD, &message);      /* neither are these */
            MPI_Send(copy, 3, MPI_INT, 0, 7, MPI_COMM_WORLD);
            MPI_Wait(&message, MPI_STATUS_IGNORE);
            MPI_Pready_list(2, (int[]){1, 0}, requests[0]);
        } else {
            MPI_Recv(copy, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            do {
                MPI_Parrived(requests[0], 2, &has_arrived);
            } while (!has_arrived);
            MPI_Isend(values + 6, 3, MPI_INT, 1, 6, MPI_COMM_WORLD, &message);
            MPI_Recv(copy, 3, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wait(&message, MPI_STATUS_IGNORE);
            if (copy[0] != round)
                abort();
        }
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);

    /* no partitions arrive, or none with data */
    MPI_Psend_init(values, 2, 0, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(copy, 2, 0, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Pready_range(0, 1, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
    MPI_Finalize();
    return 0;
}
