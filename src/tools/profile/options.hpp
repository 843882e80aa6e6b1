/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Options of the tool "profile". */

#ifndef TOOLS_PROFILE_OPTIONS_HPP_INCLUDED
#define TOOLS_PROFILE_OPTIONS_HPP_INCLUDED

#include "../common/report_options.hpp"
#include "../common/selection.hpp"

#include <qmpi.hpp>

#include <cstddef>
#include <cstdint>

namespace qmpi::profile {

/* Maximum number of return addresses of a call site. */
constexpr std::size_t max_depth = 32;

struct Options : ReportOptions {
    explicit Options(const qmpi::arguments &given)
        : ReportOptions(given, {Format::text, Format::json, Format::html})
    {
    }

    std::uint64_t sites =
        option("sites", std::uint64_t{20}).help("call sites in each list of the text; 0: all");
    std::size_t depth = option("depth", std::size_t{1})
                            .between(1, max_depth)
                            .help("return addresses per call site");
    function_set functions = option("functions", set::all)
                                 .help("only these functions or sets, as in collective+MPI_Send");
    std::uint32_t sample =
        option("sample", 1u).between(1, 1000000000).help("time every Nth call of a function");
    bool communicators = flag("communicators").help("add sums for each communicator");
    bool off = flag("off").help("record nothing until MPI_Pcontrol(1)");
    bool asleep = flag("asleep").help("record nothing until qmpi_ctl wakes the instance");
};

}  // namespace qmpi::profile

#endif /* TOOLS_PROFILE_OPTIONS_HPP_INCLUDED */
