/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Options of the tool "messages". */

#ifndef TOOLS_MESSAGES_OPTIONS_HPP_INCLUDED
#define TOOLS_MESSAGES_OPTIONS_HPP_INCLUDED

#include "../common/report_options.hpp"
#include "../common/selection.hpp"

#include <qmpi.hpp>

namespace qmpi::messages {

struct Options : ReportOptions {
    explicit Options(const qmpi::arguments &given)
        : ReportOptions(given, {Format::text, Format::json, Format::html})
    {
    }

    function_set functions = option("functions", set::all)
                                 .help("only these functions or sets, as in collective+MPI_Send");
    int top = option("top", 20).at_least(0).help("pairs in the text");
    int rows = option("rows", 1024)
                   .between(1, 1000000)
                   .help("rows of the matrix, at most; ranks share rows");
};

}  // namespace qmpi::messages

#endif /* TOOLS_MESSAGES_OPTIONS_HPP_INCLUDED */
