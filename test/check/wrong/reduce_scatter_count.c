/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The parts have other sizes in each process. */
#include <mpi.h>

int main(int argc, char **argv)
{
    static int data[4], room[4];
    const int counts[2][2] = {{1, 2}, {2, 1}};
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Reduce_scatter(data, room, counts[rank], MPI_INT, MPI_SUM, MPI_COMM_WORLD);  /* expect: type mismatch */
    MPI_Finalize();
    return 0;
}
