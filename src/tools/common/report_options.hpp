/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Options of tools with reports. */

#ifndef QMPI_REPORT_OPTIONS_HPP_INCLUDED
#define QMPI_REPORT_OPTIONS_HPP_INCLUDED

#include <qmpi.hpp>

#include <string>

namespace qmpi {

/* For a tool with reports as text, JSON and HTML. A Destination reads both. */
struct ReportOptions : options {
    using options::options;

    std::string out = option("out", "").value("NAME").help(
        "one file (.txt, .json, .html), stem of all files, or - "
        "(stderr)");
    std::string formats =
        option("formats", "").value("A+B").help("reports: text, json, html (default: all)");
    std::string records =
        option("records", "").value("FOLDER").help("folder for the record files, on each host");
};

}  // namespace qmpi

#endif /* QMPI_REPORT_OPTIONS_HPP_INCLUDED */
