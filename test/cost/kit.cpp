// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Pass-through tools on the C++ kit, as tools.cpp has them in the C interface:
//   kit            a generic member for all functions that are counted
//   kit_ending     the same, but its objects end before the process does, and calls must find
//                  that out

#include <qmpi.hpp>

namespace
{

constexpr qmpi::function_set counted(MPI_COMM_RANK_T, MPI_SEND_T);

struct Kit : qmpi::tool<Kit> {
    static constexpr auto functions = counted;
    template <typename Call> auto intercept(Call &call) { return call(); }
};

struct KitEnding : qmpi::tool<KitEnding> {
    static constexpr auto functions = counted;
    template <typename Call> auto intercept(Call &call) { return call(); }
    ~KitEnding() { std::fflush(stdout); }
};

}   // namespace

QMPI_TOOL("kit", Kit)
QMPI_TOOL("kit_ending", KitEnding)
