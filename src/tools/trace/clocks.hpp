/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* How far the clocks of processes are apart. All communication is the library's own (QMPI_ names). */

#ifndef QMPI_TRACE_CLOCKS_HPP_INCLUDED
#define QMPI_TRACE_CLOCKS_HPP_INCLUDED

#include "definitions.hpp"

#include <mpi.h>

#include <cstdint>

namespace trace {

/* The same for all processes that read the same clock: those of a kernel, in a name space of time. */
std::uint64_t clock_identity();

/* Measures the clock of the calling process against that of rank 0. One process of each clock does so,
 * the first, and tells the others. Collective.
 *   comm        nobody else sends on it
 *   identity    of the process' clock */
ClockPoint measure_clock(MPI_Comm comm, std::uint64_t identity);

}  // namespace trace

#endif /* QMPI_TRACE_CLOCKS_HPP_INCLUDED */
