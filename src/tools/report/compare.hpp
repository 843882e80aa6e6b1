/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Compares two runs by function and call site. */

#ifndef TOOLS_REPORT_COMPARE_HPP_INCLUDED
#define TOOLS_REPORT_COMPARE_HPP_INCLUDED

#include <cstdint>
#include <limits>
#include <map>
#include <string>

namespace qmpi::report {

struct Numbers {
    std::uint64_t calls = 0, sent = 0, received = 0;
    double time = 0; /* in seconds, of all processes */
};

/* By "MPI_Send", and by "MPI_Send at solve (halo.c:231)". */
using NumbersByName = std::map<std::string, Numbers>;

/* Of records, or of a report in JSON. Throws std::runtime_error. */
NumbersByName numbers_of(const std::string &path);

/* Percent of the first run by which the second may differ. */
struct Thresholds {
    double calls = 0, bytes = 0;
    double time = std::numeric_limits<double>::infinity();
    double seconds = 0; /* smaller differences of time do not count */
};

/* One line for each name whose numbers differ by more; empty if none. */
std::string differences(const NumbersByName &before, const NumbersByName &after,
                        const Thresholds &limits);

}  // namespace qmpi::report

#endif /* TOOLS_REPORT_COMPARE_HPP_INCLUDED */
