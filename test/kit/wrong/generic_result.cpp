// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// expected: MPI_Wtime: the tool's member template intercept must be public, take (Call &call) and return what call() returns (auto)
#include <qmpi.hpp>

struct Wrong : qmpi::tool<Wrong> {
    static constexpr auto functions = qmpi::set::environment;
    template <typename Call>
    int intercept(Call &call)
    {
        return static_cast<int>(call());
    }
};
QMPI_TOOL("wrong", Wrong)
