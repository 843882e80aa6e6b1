// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Measures the time of MPI_Init and the process's unshared memory after it. MPI_Init is the first call,
// so it builds the chain of tools.

#include "memory.hpp"

#include <mpi.h>
#include <chrono>
#include <cstdio>

int main(int argc, char **argv)
{
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    MPI_Init(&argc, &argv);
    const std::chrono::duration<double> seconds = clock::now() - begin;
    std::printf("{\"init\": %.9f, \"kib\": %ld}\n", seconds.count(),
                bench::memory_in_kib("RssAnon"));
    std::fflush(stdout);
    MPI_Finalize();
}
