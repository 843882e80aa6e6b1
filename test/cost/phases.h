// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

#ifndef COST_PHASES_H
#define COST_PHASES_H

#include <valgrind/callgrind.h>
#include <cstdio>

namespace cost {

// The evaluation compares both differences of neighbors, so the steps differ.
constexpr long phase_lengths[] = {1000, 2000, 4000};

// Runs repeat(n) for each length n. The count is named "NAME n" in callgrind's output; counts between
// phases have a name that the evaluation skips. Outside of callgrind the requests do nothing.
template <typename Repeat>
void count_phases(const char *name, Repeat repeat)
{
    repeat(10);  // binds symbols, fills caches
    for (long length : phase_lengths) {
        char mark[64];
        std::snprintf(mark, sizeof mark, "%s %ld", name, length);
        CALLGRIND_DUMP_STATS_AT("-");
        repeat(length);
        CALLGRIND_DUMP_STATS_AT(mark);
    }
}

}  // namespace cost

#endif
