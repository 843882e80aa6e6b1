/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* How what each process knows becomes one report. All communication is the library's own (QMPI_
 * names): no tool sees it. */

#ifndef TOOLS_MERGE_HPP_INCLUDED
#define TOOLS_MERGE_HPP_INCLUDED

#include "wire.hpp"

#include <qmpi.hpp>

#include <functional>

namespace tools {

/* A communicator of the processes of an intracommunicator, in their order, that nobody else sends on.
 * It returns errors. It is made from the group, not duplicated, so that no attribute callback of the
 * application runs. Collective; the caller's, to be given up by QMPI_Comm_free. MPI_COMM_NULL if the
 * library refuses. */
MPI_Comm private_comm_of(MPI_Comm comm);

/* merge_to_root() without its template: write puts what the process has, merge adds what another has. */
bool merge_to_root(MPI_Comm comm, const std::function<void(Writer &)> &write,
                   const std::function<void(Reader &)> &merge);

/* Merges the states of all processes of an intracommunicator into that of rank 0, along a binomial
 * tree: in the order of ranks, each process sends once, and none holds more than its own part of the
 * tree. Collective; the application may use the communicator at the same time.
 *   state  has  void write(Writer &) const  and  void merge(Reader &), which adds what the write of
 *          another state put. All but rank 0 may be left with those of some other ranks in it
 * True, in all processes, when rank 0 has everything. False, in all that can still be told, when
 * the library refused or a member threw; a caller that goes on alone makes its state anew. */
template <typename State>
bool merge_to_root(MPI_Comm comm, State &state)
{
    return merge_to_root(
        comm, [&state](Writer &writer) { state.write(writer); },
        [&state](Reader &reader) { state.merge(reader); });
}

}  // namespace tools

#endif /* TOOLS_MERGE_HPP_INCLUDED */
