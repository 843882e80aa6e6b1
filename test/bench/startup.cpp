// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// How long MPI_Init takes, and how much memory the process has of its own behind it. The chain of
// tools is built in MPI_Init, for it is the first call.

#include "memory.hpp"

#include <chrono>
#include <cstdio>
#include <mpi.h>

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
