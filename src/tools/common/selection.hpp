/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Which functions the user wants to see. */

#ifndef TOOLS_SELECTION_HPP_INCLUDED
#define TOOLS_SELECTION_HPP_INCLUDED

#include <qmpi.hpp>

#include <string>

namespace tools {

/* Reads the argument functions=A+B: names of qmpi::set, such as collective, and of functions, such
 * as MPI_Send, put together; all functions where the user gave none. For the constructor of a tool.
 * Throws qmpi::argument_error for a name that is neither. */
qmpi::function_set read_selection(const qmpi::arguments &arguments);

}  // namespace tools

#endif /* TOOLS_SELECTION_HPP_INCLUDED */
