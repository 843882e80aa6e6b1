/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Neighbors with different counts: in a ring of two, where both neighbors are the same process, in a graph with a
 * process that is named twice, and in a line. */
#include <mpi.h>

static int data[8], room[8];
static int rank;

static void ring(void)
{
    const int size = 2, period = 1, places[] = {0, 2};
    /* Data sent to the left arrives from the right. */
    const int sent[] = {1, 2}, received[] = {2, 1};
    MPI_Comm ring;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &ring);
    MPI_Neighbor_alltoallv(data, sent, places, MPI_INT, room, received, places, MPI_INT, ring);
    MPI_Neighbor_alltoall(data, 2, MPI_INT, room, 2, MPI_INT, ring);
    MPI_Neighbor_allgather(data, 1, MPI_INT, room, 1, MPI_INT, ring);
    MPI_Comm_free(&ring);
}

static void graph(void)
{
    const int other = !rank, peers[] = {other, rank, other}, counts[] = {2, 3, 2}, places[] = {0, 2, 5};
    MPI_Comm graph;

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, peers, MPI_UNWEIGHTED, 3, peers, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    MPI_Neighbor_alltoallv(data, counts, places, MPI_INT, room, counts, places, MPI_INT, graph);
    MPI_Neighbor_allgatherv(data, 2, MPI_INT, room, (int[]) {2, 2, 2}, (int[]) {0, 2, 4}, MPI_INT, graph);
    MPI_Comm_free(&graph);
}

static void line(void)
{
    const int size = 2, period = 0, places[] = {0, 2};
    /* The first process has no left neighbor, the last no right one. */
    const int sent[] = {2, 1}, received[2][2] = {{7, 2}, {1, 7}};
    MPI_Comm line;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &line);
    MPI_Neighbor_alltoallv(data, sent, places, MPI_INT, room, received[rank], places, MPI_INT, line);
    MPI_Comm_free(&line);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ring();
    graph();
    line();
    MPI_Reduce_scatter(MPI_IN_PLACE, room, (int[]) {1, 3}, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
