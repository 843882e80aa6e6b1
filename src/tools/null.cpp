/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "null": intercepts every function and does nothing; measures the cost of the chain. */

#include <qmpi.hpp>

namespace {

struct Null : qmpi::tool<Null> {
    static constexpr const char *description = "calls the next link, for measurements";

    template <typename Call>
    auto intercept(Call &call)
    {
        return call();
    }
};

}  // namespace

QMPI_TOOL("null", Null)
