/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* MPI_Isendrecv with wildcards, of which MPICH leaves the status empty, and without. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, left, right, a, b = -1, is_done;
    float sent = 1, got;
    MPI_Request request, requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    a = rank;

    /* known by the arguments */
    MPI_Isendrecv(&a, 1, MPI_INT, right, 1, &b, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
    do
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    while (!is_done);
    MPI_Isendrecv_replace(&a, 1, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* without a send, the status is set */
    MPI_Isendrecv(&a, 1, MPI_INT, rank < size - 1 ? right : MPI_PROC_NULL, 3, &b, 1, MPI_INT,
                  rank == 0 ? MPI_PROC_NULL : left, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Send(&a, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    else if (rank == 1) {
        MPI_Isendrecv(&a, 1, MPI_INT, MPI_PROC_NULL, 4, &b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                      &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);

    for (int i = 0; i < 3; i++) {
        MPI_Isendrecv(&a, 1, MPI_INT, right, 5, &b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Isendrecv_replace(&a, 1, MPI_INT, right, 6, left, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    do
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    while (!is_done);

    /* whatever it has got, others are received as well */
    MPI_Isend(&sent, 1, MPI_FLOAT, right, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&got, 1, MPI_FLOAT, left, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
