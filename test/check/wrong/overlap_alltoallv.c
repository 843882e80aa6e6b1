/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A message is received into the block of the last process. */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int data[4], all[16];
    const int counts[] = {2, 2}, here[] = {0, 2}, there[] = {8, 0};
    int rank;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Ialltoallv(data, counts, here, MPI_INT, all, counts, there, MPI_INT, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(all + 9, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, &requests[1]);  /* expect: buffer overlap */
    MPI_Send(data + 3, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
