/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A grid and a graph that have fewer processes than the communicator that they are made of, then
 * communicators of all, and of those in the grid. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    const int neighbors[] = { 1, 2 }, edges[] = { 1, 0 }, sizes[] = { 2 }, is_periodic[] = { 0 };
    MPI_Comm grid, graph, copy, part;
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, is_periodic, 0, &grid);
        MPI_Graph_create(MPI_COMM_WORLD, 2, neighbors, edges, 0, &graph);
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Bcast(&value, 1, MPI_INT, 0, copy);
        if (grid != MPI_COMM_NULL) {
            MPI_Comm_dup(grid, &part);
            MPI_Barrier(part);
            MPI_Bcast(&value, 1, MPI_INT, 1, graph);
            MPI_Comm_free(&part);
            MPI_Comm_free(&grid);
            MPI_Comm_free(&graph);
        }
        MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &part);
        MPI_Bcast(&value, 1, MPI_INT, 0, part);
        MPI_Comm_free(&part);
        MPI_Comm_free(&copy);
    }
    MPI_Finalize();
    return 0;
}
