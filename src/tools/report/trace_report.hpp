/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Calls of a trace that is not finished, from its journals. */

#ifndef TOOLS_REPORT_TRACE_REPORT_HPP_INCLUDED
#define TOOLS_REPORT_TRACE_REPORT_HPP_INCLUDED

#include "reports.hpp"

#include <memory>
#include <string>
#include <vector>

namespace qmpi::report {

/* Of the journals of one run. Throws std::runtime_error if one cannot be read. */
std::unique_ptr<Report> trace_report_of(const std::vector<std::string> &journals);

}  // namespace qmpi::report

#endif /* TOOLS_REPORT_TRACE_REPORT_HPP_INCLUDED */
