// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// How long MPI_Init takes, and how much memory the process has of its own behind it. The chain of tools is built in
// MPI_Init, for it is the first call.

#include <chrono>
#include <cstdio>
#include <mpi.h>

namespace
{

// Pages that belong to this process alone, in KiB: heap, stacks, written data.
long own_memory()
{
    std::FILE *status = std::fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;
    while (status && std::fgets(line, sizeof line, status))
        if (std::sscanf(line, "RssAnon: %ld kB", &kib) == 1)
            break;
    if (status)
        std::fclose(status);
    return kib;
}

}   // namespace

int main(int argc, char **argv)
{
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    MPI_Init(&argc, &argv);
    const std::chrono::duration<double> seconds = clock::now() - begin;
    std::printf("{\"init\": %.9f, \"kib\": %ld}\n", seconds.count(), own_memory());
    std::fflush(stdout);
    MPI_Finalize();
}
