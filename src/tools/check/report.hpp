/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The report in each format. */

#ifndef TOOLS_CHECK_REPORT_HPP_INCLUDED
#define TOOLS_CHECK_REPORT_HPP_INCLUDED

#include "statement.hpp"

#include "../common/report_options.hpp"

#include <string>

namespace qmpi::check {

std::string report_of(const Statement &statement, const Heading &heading, Format format);

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_REPORT_HPP_INCLUDED */
