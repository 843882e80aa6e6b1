/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Persistent operations are started while a receive uses their memory. */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int data[2], room[2];
    int rank;
    MPI_Request made[2], pending;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send_init(room, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &made[0]);
    MPI_Allgather_init(data, 1, MPI_INT, room, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &made[1]);
    MPI_Irecv(room, 2, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &pending);
    MPI_Start(&made[1]);        /* expect: buffer overlap */
    MPI_Wait(&made[1], MPI_STATUS_IGNORE);
    MPI_Start(&made[0]);        /* expect: buffer overlap */
    MPI_Wait(&made[0], MPI_STATUS_IGNORE);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    MPI_Request_free(&made[0]);
    MPI_Request_free(&made[1]);
    MPI_Finalize();
    return 0;
}
