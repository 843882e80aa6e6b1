/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Leaders, and the order of two groups, on which the processes of one group do not agree. ranks: 3 cases: 2 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, is_wrong;
    MPI_Comm half, inter, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    is_wrong = rank == 1 && atoi(argv[1]) == 1;
    MPI_Intercomm_create(half, is_wrong, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &inter);      /* expect: collective mismatch */
    is_wrong = rank == 1 && atoi(argv[1]) == 2;
    MPI_Intercomm_merge(inter, is_wrong, &all);                                     /* expect: collective mismatch */
    MPI_Abort(MPI_COMM_WORLD, 0);
}
