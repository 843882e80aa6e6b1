// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// Pass-through tools on the C++ kit, like those of tools.cpp in C:
//   kit            a generic member for all functions that are counted
//   kit_ending     the same with a destructor: calls must test whether the object still exists

#include <qmpi.hpp>

namespace {

constexpr qmpi::function_set counted(MPI_COMM_RANK_T, MPI_SEND_T);

struct Kit : qmpi::tool<Kit> {
    static constexpr auto functions = counted;
    template <typename Call>
    auto intercept(Call &call)
    {
        return call();
    }
};

struct KitEnding : qmpi::tool<KitEnding> {
    static constexpr auto functions = counted;
    template <typename Call>
    auto intercept(Call &call)
    {
        return call();
    }
    ~KitEnding() { std::fflush(stdout); }
};

}  // namespace

QMPI_TOOL("kit", Kit)
QMPI_TOOL("kit_ending", KitEnding)
