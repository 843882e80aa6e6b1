// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

#ifndef BENCH_CALLS_HPP
#define BENCH_CALLS_HPP

#include <vector>

// The calls that are timed (time_calls.cpp) and whose instructions are counted (count_calls.cpp,
// for test/bench/run and test/cost/run).

namespace bench
{

struct Call {
    const char *name;
    int ranks;                      // of MPI_COMM_WORLD, 1 or 2
    bool may_be_shared;             // can be made by several threads at once
    void (*repeat)(long calls);     // makes that many calls, of each function of the name one
};

extern const std::vector<Call> calls;

// Between MPI_Init and MPI_Finalize, around all repeats: what the calls need.
void set_up();
void tear_down();

}   // namespace bench

#endif
