/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Reports from record files. */

#ifndef TOOLS_REPORT_REPORTS_HPP_INCLUDED
#define TOOLS_REPORT_REPORTS_HPP_INCLUDED

#include "../common/report.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace qmpi::report {

/* The report of one instance over all processes that have left records. */
class Report {
  public:
    virtual ~Report() = default;

    virtual std::string name() const = 0;
    virtual std::string make(Format format) const = 0;
    virtual std::string csv() const = 0;

    /* With the endings of their files. */
    virtual std::vector<std::pair<Format, std::string>> formats() const = 0;
};

/* The reports of all instances that have records in the folders and files. Throws
 * std::runtime_error if there are none or if one cannot be read. */
std::vector<std::unique_ptr<Report>> load(const std::vector<std::string> &paths);

}  // namespace qmpi::report

#endif /* TOOLS_REPORT_REPORTS_HPP_INCLUDED */
