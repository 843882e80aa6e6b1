// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

#ifndef BENCH_CALLS_HPP
#define BENCH_CALLS_HPP

#include <vector>

// The calls whose time (time_calls.cpp) and instructions (count_calls.cpp) test/bench and test/cost
// measure.

namespace bench {

struct Call {
    const char *name;
    int ranks;                   // of MPI_COMM_WORLD, 1 or 2
    bool may_be_shared;          // several threads can make the call at once
    void (*repeat)(long calls);  // a call is one of each function of the name
};

extern const std::vector<Call> calls;

// Make and free what the calls need, after MPI_Init and before MPI_Finalize.
void set_up();
void tear_down();

}  // namespace bench

#endif
