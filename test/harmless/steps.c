/* Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory */

/* Sums the ranks, in as many steps as the second argument, each a level of MPI_Pcontrol from 3 on. The first argument is
 * the sum. */

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; argc > 2 && i < atoi(argv[2]); i++) {
        MPI_Pcontrol(i + 3);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    printf("sum %d\n", sum);
    return sum != atoi(argv[1]);
}
