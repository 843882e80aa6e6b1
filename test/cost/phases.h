// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

#ifndef COST_PHASES_H
#define COST_PHASES_H

#include <cstdio>
#include <valgrind/callgrind.h>

namespace cost
{

// The evaluation wants the same number from both differences of neighbours, so the steps differ.
constexpr long phase_lengths[] = {1000, 2000, 4000};

// Runs repeat(n) for each length n. What callgrind counted is named "NAME n" in its output; what
// was counted before goes under a name that the evaluation skips. Outside of callgrind the requests
// do nothing.
template <typename Repeat> void count_phases(const char *name, Repeat repeat)
{
    // Symbols are bound and caches of the library filled by now.
    repeat(10);
    for (long length : phase_lengths) {
        char mark[64];
        std::snprintf(mark, sizeof mark, "%s %ld", name, length);
        CALLGRIND_DUMP_STATS_AT("-");
        repeat(length);
        CALLGRIND_DUMP_STATS_AT(mark);
    }
}

}   // namespace cost

#endif
