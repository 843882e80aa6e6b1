/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A trace as an OTF2 archive. */

#ifndef TOOLS_TRACE_OTF2_OUTPUT_HPP_INCLUDED
#define TOOLS_TRACE_OTF2_OUTPUT_HPP_INCLUDED

#include "definitions.hpp"

#include <mpi.h>

#include <string>
#include <vector>

namespace qmpi::trace {

#ifdef HAVE_OTF2
inline constexpr bool has_otf2 = true;
#else
inline constexpr bool has_otf2 = false;
#endif

/* Writes an archive into a folder. Collective over comm, whose rank 0 writes the global
 * definitions; MPI_COMM_NULL for one process with all recordings. Returns the calling process's
 * error, or an empty text. */
std::string write_otf2(MPI_Comm comm, const std::string &folder, const Definitions &definitions,
                       const std::vector<Recording> &recordings);

}  // namespace qmpi::trace

#endif /* TOOLS_TRACE_OTF2_OUTPUT_HPP_INCLUDED */
