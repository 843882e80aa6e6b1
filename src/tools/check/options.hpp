/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Options of the tool "check". */

#ifndef TOOLS_CHECK_OPTIONS_HPP_INCLUDED
#define TOOLS_CHECK_OPTIONS_HPP_INCLUDED

#include "findings.hpp"

#include "../common/report_options.hpp"

#include <qmpi.hpp>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace qmpi::check {

enum class OnDeadlock { report, abort, ignore };

struct Options : ReportOptions {
    explicit Options(const qmpi::arguments &given)
        : ReportOptions(given, {Format::text, Format::json, Format::html})
    {
        if (given.has("suppress") && suppress.empty())
            throw argument_error("argument suppress=: needs a file name");
    }

    using seconds = std::chrono::duration<double>;

    seconds timeout = option("timeout", seconds(30))
                          .between(seconds(0.001), seconds(1e9))
                          .help("report a deadlock after this time without progress");
    OnDeadlock deadlock = option("deadlock", OnDeadlock::report)
                              .one_of({{"report", OnDeadlock::report},
                                       {"abort", OnDeadlock::abort},
                                       {"no", OnDeadlock::ignore}})
                              .help("after the report of a deadlock, abort ends the job");
    std::string suppress =
        option("suppress", "")
            .value("FILE")
            .help("do not report the findings that a line of the file describes");
    int status = option("status", 0)
                     .between(0, 255)
                     .help("exit status of the job if there are findings (0: that of the program)");
    bool strict =
        flag("strict", false)
            .help(
                "distinguish MPI_BYTE, characters, logicals, complex numbers, and signed from "
                "unsigned integers");
    std::array<bool, number_of_kinds> wanted = wanted_kinds();

    /* Names of the kinds that are switched off. */
    std::vector<std::string> unwanted() const
    {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < number_of_kinds; i++) {
            if (!wanted[i])
                names.emplace_back(kind_names[i].name);
        }
        return names;
    }

  private:
    /* Several kinds can share a switch. */
    std::array<bool, number_of_kinds> wanted_kinds()
    {
        std::array<bool, number_of_kinds> wanted{};
        for (std::size_t i = 0; i < number_of_kinds; i++) {
            const KindName &own = kind_names[i];
            std::size_t first = 0;
            while (std::string_view(kind_names[first].argument) != own.argument)
                first++;
            if (static_cast<Kind>(i) == Kind::deadlock)
                wanted[i] = deadlock != OnDeadlock::ignore;
            else if (first < i)
                wanted[i] = wanted[first];
            else
                wanted[i] = flag(own.argument, own.is_default).help(own.help);
        }
        return wanted;
    }
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_OPTIONS_HPP_INCLUDED */
