// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Makes the calls of calls.cpp in phases that callgrind counts, in one process. The same source is
// built for every library.
//
//     count_calls [NAME]...      only these calls

#include "../cost/phases.h"
#include "calls.hpp"

#include <mpi.h>
#include <algorithm>
#include <string>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    bench::set_up();
    for (const bench::Call &call : bench::calls)
        if (call.ranks == 1 &&
            (argc == 1 || std::find(argv + 1, argv + argc, std::string(call.name)) != argv + argc))
            cost::count_phases(call.name, call.repeat);
    bench::tear_down();
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
