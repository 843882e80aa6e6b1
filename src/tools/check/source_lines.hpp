/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Lines of the program's source around a call site, if the file can be read here and now. */

#ifndef TOOLS_CHECK_SOURCE_LINES_HPP_INCLUDED
#define TOOLS_CHECK_SOURCE_LINES_HPP_INCLUDED

#include "../common/call_sites.hpp"

#include <string>
#include <vector>

namespace qmpi::check {

struct SourceLines {
    int first = 1; /* number of the first one */
    std::vector<std::string> lines;
    bool is_newer = false; /* the file has changed after the program was built */
};

/* Empty if the file cannot be read or does not have the line. */
SourceLines lines_around(const CallSite &site);

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_SOURCE_LINES_HPP_INCLUDED */
