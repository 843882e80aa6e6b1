// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

#ifndef BENCH_MEMORY_HPP
#define BENCH_MEMORY_HPP

#include <cstdio>
#include <cstring>

namespace bench
{

// What the system says of the memory of this process, in KiB: a line of /proc/self/status by its
// name, such as VmHWM (most that was ever resident) or RssAnon (resident, and this process's
// alone). -1 where there is no such line.
inline long memory_in_kib(const char *name)
{
    std::FILE *status = std::fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;
    while (status && kib < 0 && std::fgets(line, sizeof line, status))
        if (std::strncmp(line, name, std::strlen(name)) == 0)
            std::sscanf(line + std::strlen(name), ": %ld kB", &kib);
    if (status)
        std::fclose(status);
    return kib;
}

}   // namespace bench

#endif
