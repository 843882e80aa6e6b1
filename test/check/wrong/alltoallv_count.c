/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The numbers for a pair of processes do not agree. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[8] = {0}, all[8], one[2] = {1, 1}, two[2] = {1, 2}, displacements[2] = {0, 4};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* rank 0 sends two to rank 1, which expects one */
    MPI_Alltoallv(values, rank == 0 ? two : one, displacements, MPI_INT, all, one, displacements, MPI_INT,   /* expect: type mismatch */
                  MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
