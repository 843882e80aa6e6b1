/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Receives from any process: each message is sent after a neighborhood collective with data of the process that has got
 * the one before. ranks: 3 tool: races */
#include <mpi.h>

static int rank, other;
static MPI_Comm graph;

static void receive_from(int sender)
{
    int value;

    if (rank == sender)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* from 0 to 1 and 2 */
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, (int[]) {0}, MPI_UNWEIGHTED, rank == 0 ? 2 : 0, (int[]) {1, 2},
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    receive_from(1);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &other, 1, MPI_INT, graph);
    receive_from(2);
    MPI_Ineighbor_alltoall((int[]) {rank, rank}, 1, MPI_INT, &other, 1, MPI_INT, graph, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_from(1);
    MPI_Neighbor_allgather_init(&rank, 1, MPI_INT, &other, 1, MPI_INT, graph, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_from(2);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    receive_from(1);
    MPI_Request_free(&request);
    MPI_Comm_free(&graph);
    MPI_Finalize();
    return 0;
}
