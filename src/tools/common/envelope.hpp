/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* What all reports in JSON have in common. src/tools/schema/qmpi-report.schema.json describes the
 * reports. */

#ifndef TOOLS_ENVELOPE_HPP_INCLUDED
#define TOOLS_ENVELOPE_HPP_INCLUDED

#include "record.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace qmpi {

/* Incremented when a reader of the former version would misread a report; new members do not. */
constexpr int report_version = 1;

/* A report without the tool's own members.
 *   end        wall-clock time; empty: unknown
 *   is_alone   of one process only, which could not be merged with others */
inline nlohmann::json envelope(const Introduction &introduction, const std::string &end,
                               int processes, bool is_alone)
{
    return {{"format", "qmpi-report"},
            {"version", report_version},
            {"tool", introduction.tool},
            {"instance", introduction.instance},
            {"instances", introduction.instances},
            {"tool_id", introduction.tool_id},
            {"arguments", introduction.arguments},
            {"program", introduction.program},
            {"command", introduction.command},
            {"library", introduction.library},
            {"begin", introduction.begin},
            {"end", end.empty() ? nlohmann::json() : nlohmann::json(end)},
            {"processes", processes},
            {"alone", is_alone},
            {"absent", introduction.absent}};
}

/* File names and arguments may not be valid UTF-8. */
inline std::string json_text(const nlohmann::json &report)
{
    return report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace qmpi

#endif /* TOOLS_ENVELOPE_HPP_INCLUDED */
