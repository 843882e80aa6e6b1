// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

#ifndef BENCH_MEMORY_HPP
#define BENCH_MEMORY_HPP

#include <cstdio>
#include <cstring>

namespace bench {

// Memory of this process in KiB: the line of /proc/self/status with this name, such as VmHWM (maximum
// resident memory) or RssAnon (resident and not shared). -1 without such a line.
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

}  // namespace bench

#endif
