/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Options of tools with reports. */

#ifndef QMPI_REPORT_OPTIONS_HPP_INCLUDED
#define QMPI_REPORT_OPTIONS_HPP_INCLUDED

#include <qmpi.hpp>

#include <string>
#include <vector>

namespace qmpi {
inline namespace v1 {

/* otf2: a folder that the tool writes itself. */
enum class Format { text, json, csv, html, otf2 };

/* The user's choices for a tool's reports; a Destination explains and uses them. */
struct ReportOptions : options {
    std::vector<Format> known; /* formats of the tool */
    std::string out;           /* empty: none given */
    std::vector<Format> formats;
    bool are_formats_chosen = false;
    std::string records; /* empty: none given */

  protected:
    /* out: default;  standard: formats unless the user chooses; empty: all. Throws argument_error. */
    ReportOptions(const arguments &given, std::vector<Format> known, const char *out = "",
                  std::vector<Format> standard = {});
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_REPORT_OPTIONS_HPP_INCLUDED */
