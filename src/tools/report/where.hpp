/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* "qmpi_report where": where the ranks of a job are, and which of them wait for each other. */

#ifndef TOOLS_REPORT_WHERE_HPP_INCLUDED
#define TOOLS_REPORT_WHERE_HPP_INCLUDED

#include <string>
#include <vector>

namespace qmpi::report {

struct WhereOptions {
    bool as_json = false;
    bool with_stacks = false; /* of ranks outside MPI, and of jobs without records */
};

/* Lines for people, or JSON. Throws std::runtime_error if nothing can be said of the job. */
std::string where(const std::vector<std::string> &jobs, const WhereOptions &options);

}  // namespace qmpi::report

#endif /* TOOLS_REPORT_WHERE_HPP_INCLUDED */
