/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Reports from record files. */

#ifndef TOOLS_REPORT_REPORTS_HPP_INCLUDED
#define TOOLS_REPORT_REPORTS_HPP_INCLUDED

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace qmpi::report {

/* Contents by format: text, json, csv, html. */
using Forms = std::map<std::string, std::string>;

/* The report of one instance over all processes that have left records. */
class Report {
  public:
    virtual ~Report() = default;

    virtual std::string name() const = 0;

    /* Those of the formats that the tool has. */
    virtual Forms make(const std::vector<const char *> &formats) const = 0;

    /* Throws std::runtime_error if the tool does not have it. */
    std::string make(const char *format) const;
};

/* The reports of all instances and runs that have records in the folders and files, and of the
 * journals in the folders. Throws std::runtime_error if there are none, if one cannot be read, or if
 * two are of the same process of different runs in a folder of the same name. */
std::vector<std::unique_ptr<Report>> load(const std::vector<std::string> &paths);

/* The only report of the paths. Throws std::runtime_error, also if there are several. */
std::unique_ptr<Report> load_one(const std::vector<std::string> &paths);

}  // namespace qmpi::report

#endif /* TOOLS_REPORT_REPORTS_HPP_INCLUDED */
