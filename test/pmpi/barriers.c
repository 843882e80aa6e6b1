/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Three barriers, in a program that has names of its own which tools have too. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int calls = 100;

int rand(void)
{
    return 5;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    printf("program: calls %d rand %d\n", calls, rand());
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
