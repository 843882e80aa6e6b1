/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* In a line of three processes, the one in the middle sends its right neighbor more than that receives. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int data[4], room[4];
    const int size = 3, period = 0, places[] = {0, 2};
    const int ones[] = {1, 1}, more[] = {1, 2};
    int rank;
    MPI_Comm line;

    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &line);
    MPI_Comm_set_errhandler(line, MPI_ERRORS_RETURN);
    MPI_Comm_rank(line, &rank);
    MPI_Neighbor_alltoallv(data, rank == 1 ? more : ones, places, MPI_INT, room, ones, places, MPI_INT, line);  /* expect: type mismatch */
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
