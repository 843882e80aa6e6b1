/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Receives of MPI_MESSAGE_NO_PROC, and exchanges without neighbors, which use no memory. ranks: 1 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int value = 0, other = 1, is_there;
    MPI_Comm alone;
    MPI_Message message;
    MPI_Request pending, request;

    MPI_Init(&argc, &argv);
    MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &pending);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &is_there, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv_c(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);

    /* data that nobody gets */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
                                   &alone);
    MPI_Neighbor_allgather(&value, 1, MPI_INT, &value, 1, MPI_INT, alone);
    MPI_Neighbor_alltoall(&value, 1, MPI_INT, &value, 1, MPI_INT, alone);
    MPI_Comm_free(&alone);

    MPI_Send(&other, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
