/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Makes rounds of 1,000 MPI_Comm_size between files: writes the file "at.RANK.N" and waits for the file
 * "go.N" before round N; ends after the rounds that the argument names. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, rounds = atoi(argv[1]);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < rounds; round++) {
        char name[64];

        snprintf(name, sizeof(name), "at.%d.%d", rank, round);
        fclose(fopen(name, "w"));
        snprintf(name, sizeof(name), "go.%d", round);
        while (access(name, F_OK) != 0)
            usleep(1000);
        for (int i = 0; i < 1000; i++)
            MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    MPI_Finalize();
    return 0;
}
