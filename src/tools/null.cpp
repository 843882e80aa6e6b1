/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "null": intercepts every function and does nothing. What a chain costs by itself is measured
 * with it, and any program that runs the same with it as without has nothing to fear from a tool. */

#include <qmpi.hpp>

namespace {

struct Null : qmpi::tool<Null> {
    static constexpr const char *description = "passes every call on, for measurements";

    template <typename Call>
    auto intercept(Call &call)
    {
        return call();
    }
};

}  // namespace

QMPI_TOOL("null", Null)
