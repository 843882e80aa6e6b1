/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Prints the seconds of 50 MPI_Allreduce. */

#include <mpi.h>
#include <chrono>
#include <cstdio>

int main(int argc, char **argv)
{
    using clock = std::chrono::steady_clock;
    MPI_Init(&argc, &argv);
    int rank, one = 1, sum;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const auto begin = clock::now();
    for (int i = 0; i < 50; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const std::chrono::duration<double> seconds = clock::now() - begin;
    if (rank == 0)
        std::printf("%.6f\n", seconds.count());
    MPI_Finalize();
}
