/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The part that all reports in JSON share. src/tools/schema/qmpi-report.schema.json describes the
 * reports. */

#ifndef QMPI_ENVELOPE_HPP_INCLUDED
#define QMPI_ENVELOPE_HPP_INCLUDED

#include "call_sites.hpp"
#include "record.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace qmpi {
inline namespace v1 {

/* Incremented when a reader of the former version would misread a report; new members do not. */
constexpr int report_version = 1;

/* A report without the tool's own members; null is unknown.
 *   introduction   empty texts and numbers 0 are unknown
 *   end            wall-clock time; empty: unknown
 *   is_alone       of one process only, which could not be merged with others */
inline nlohmann::json envelope(const Introduction &introduction, const std::string &end,
                               int processes, bool is_alone)
{
    auto number = [](int value) { return value > 0 ? nlohmann::json(value) : nlohmann::json(); };
    auto time = [](const std::string &text) {
        return text.empty() ? nlohmann::json() : nlohmann::json(text);
    };
    return {{"format", "qmpi-report"},
            {"version", report_version},
            {"tool", introduction.tool},
            {"instance", number(introduction.instance)},
            {"instances", number(introduction.instances)},
            {"tool_id", number(introduction.tool_id)},
            {"arguments", introduction.arguments},
            {"program", introduction.program},
            {"command", introduction.command},
            {"library", introduction.library},
            {"begin", time(introduction.begin)},
            {"end", time(end)},
            {"processes", processes},
            {"alone", is_alone},
            {"absent", introduction.absent}};
}

/* The known facts of a call site. */
inline nlohmann::json json_of(const CallSite &site)
{
    nlohmann::json json = {{"module", site.module}, {"offset", site.offset}};
    if (!site.function.empty())
        json["function"] = site.function;
    if (site.line > 0) {
        json["file"] = site.file;
        json["line"] = site.line;
    }
    return json;
}

/* A call path in JSON as text, innermost first: "solve (halo.c:231) < main (halo.c:400)" */
inline std::string text_of_path(const nlohmann::json &path)
{
    std::string text;
    for (const auto &frame : path)
        text += (text.empty() ? "" : " < ") +
            text_of(CallSite{frame.value("function", ""), frame.value("file", ""),
                             frame.value("line", 0), frame.value("module", ""),
                             frame.value("offset", std::uint64_t{0})});
    return text;
}

/* File names and arguments may not be valid UTF-8. */
inline std::string json_text(const nlohmann::json &report)
{
    return report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_ENVELOPE_HPP_INCLUDED */
