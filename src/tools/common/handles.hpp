/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Handles as keys: they are numbers in MPICH's ABI and pointers in that of MPI. */

#ifndef QMPI_HANDLES_HPP_INCLUDED
#define QMPI_HANDLES_HPP_INCLUDED

#include <qmpi.hpp>

#include <cstdint>

namespace qmpi {

/* Spreads handles over a table whose size is a power of two; the high bits are the best. */
template <typename Handle>
std::uint64_t hash_of_handle(Handle handle)
{
    return qmpi::handle_value(handle) * 0x9e3779b97f4a7c15u;
}

}  // namespace qmpi

#endif /* QMPI_HANDLES_HPP_INCLUDED */
