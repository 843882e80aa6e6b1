/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Clock offsets between processes. All communication uses QMPI_ names. */

#ifndef TOOLS_TRACE_CLOCKS_HPP_INCLUDED
#define TOOLS_TRACE_CLOCKS_HPP_INCLUDED

#include "definitions.hpp"

#include <mpi.h>

#include <cstdint>

namespace qmpi::trace {

/* Equal for processes that share a clock: same kernel and time namespace. */
std::uint64_t clock_identity();

/* Measures this process's clock against rank 0's. One process per clock measures and tells the
 * others. Collective.
 *   comm        private communicator
 *   identity    of the process's clock */
ClockPoint measure_clock(MPI_Comm comm, std::uint64_t identity);

}  // namespace qmpi::trace

#endif /* TOOLS_TRACE_CLOCKS_HPP_INCLUDED */
