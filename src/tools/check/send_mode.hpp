/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Modes of sends (MPI 4.0, 3.4). */

#ifndef TOOLS_CHECK_SEND_MODE_HPP_INCLUDED
#define TOOLS_CHECK_SEND_MODE_HPP_INCLUDED

#include <qmpi.hpp>

namespace qmpi::check {

enum class SendMode { standard, buffered, synchronous, ready };

inline SendMode send_mode(int function)
{
    static constexpr qmpi::function_set buffered(MPI_BSEND_T, MPI_BSEND_C_T, MPI_BSEND_INIT_T,
                                                 MPI_BSEND_INIT_C_T, MPI_IBSEND_T, MPI_IBSEND_C_T),
        synchronous(MPI_SSEND_T, MPI_SSEND_C_T, MPI_SSEND_INIT_T, MPI_SSEND_INIT_C_T, MPI_ISSEND_T,
                    MPI_ISSEND_C_T),
        ready(MPI_RSEND_T, MPI_RSEND_C_T, MPI_RSEND_INIT_T, MPI_RSEND_INIT_C_T, MPI_IRSEND_T,
              MPI_IRSEND_C_T);
    return buffered.contains(function)   ? SendMode::buffered
        : synchronous.contains(function) ? SendMode::synchronous
        : ready.contains(function)       ? SendMode::ready
                                         : SendMode::standard;
}

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_SEND_MODE_HPP_INCLUDED */
