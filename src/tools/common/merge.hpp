/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Merges the states of all processes. All communication uses QMPI_ names, so that no tool sees
 * it. */

#ifndef QMPI_MERGE_HPP_INCLUDED
#define QMPI_MERGE_HPP_INCLUDED

#include "wire.hpp"

#include <qmpi.hpp>

#include <functional>

namespace qmpi {
inline namespace v1 {

/* merge_to_root() with type-erased members. */
bool merge_to_root(MPI_Comm comm, const std::function<void(Writer &)> &write,
                   const std::function<void(Reader &)> &merge, const std::function<void()> &use);

/* Merges the states of all processes of a private communicator, as a qmpi::world has it, into rank
 * 0's, along a binomial tree in rank order: each process sends once and holds only its own subtree.
 * Collective.
 *   state  has  void write(Writer &) const  and  void merge(Reader &), which adds what another
 *          state wrote. Other ranks may be left with the sums of their subtree.
 *   use    called in rank 0 if it has everything, before any process returns
 * Returns true in all processes if rank 0 has everything. Returns false in all processes that can
 * be reached if the library refused, or a member or use threw; make the state anew to continue alone. */
template <typename State>
bool merge_to_root(
    MPI_Comm comm, State &state, const std::function<void()> &use = [] {})
{
    return merge_to_root(
        comm, [&state](Writer &writer) { state.write(writer); },
        [&state](Reader &reader) { state.merge(reader); }, use);
}

/* True if the value is true in all processes of the communicator; this process's own value if it is
 * MPI_COMM_NULL or the library refuses. Collective. */
bool all_of(MPI_Comm comm, bool value);

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_MERGE_HPP_INCLUDED */
