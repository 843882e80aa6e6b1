/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Stacks of running processes, read from outside with libdw. */

#ifndef TOOLS_REPORT_WHERE_STACK_HPP_INCLUDED
#define TOOLS_REPORT_WHERE_STACK_HPP_INCLUDED

#include "../common/call_sites.hpp"

#include <string>

namespace qmpi::report {

/* Position of a process's first thread. */
struct StackFacts {
    bool has_mpi = false; /* the process has loaded an MPI library */
    std::string function; /* of MPI; empty: outside */
    CallSite site;        /* of the call, or where the program is */
};

/* Stops the process for some milliseconds. Throws std::runtime_error if the system forbids it, or if
 * there is no libdw. */
StackFacts stack_of(int process);

}  // namespace qmpi::report

#endif /* TOOLS_REPORT_WHERE_STACK_HPP_INCLUDED */
