/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "findings.hpp"

#include "../common/report.hpp"

#include <nlohmann/json.hpp>

namespace qmpi::check {

void Findings::add(const Finding &finding)
{
    if (wants(finding.kind) && keep(finding) && on_new_)
        on_new_();
}

std::string Findings::text() const
{
    std::lock_guard<std::mutex> guard(lock_);
    std::string text = "check: " + std::to_string(entries_.size()) +
        (entries_.size() == 1 ? " finding" : " findings") +
        (absent_.empty() ? "" : "; not compared: " + absent_) + "\n";
    for (const auto &[key, entry] : entries_) {
        text += entry.first.line();
        if (entry.times > 1)
            text += " (" + std::to_string(entry.times) + " times, " +
                std::to_string(entry.ranks.size()) +
                (entry.ranks.size() == 1 ? " rank)" : " ranks)");
        text += "\n";
    }
    return text;
}

std::string Findings::json() const
{
    std::lock_guard<std::mutex> guard(lock_);
    nlohmann::json findings = nlohmann::json::array();
    for (const auto &[key, entry] : entries_)
        findings.push_back({{"kind", name_of(entry.first.kind)},
                            {"function", entry.first.function},
                            {"site", entry.first.site},
                            {"rank", entry.first.rank},
                            {"text", entry.first.text},
                            {"times", entry.times},
                            {"ranks", entry.ranks}});
    return nlohmann::json{{"tool", "check"}, {"absent", absent_}, {"findings", findings}}.dump(
               1, ' ', false, nlohmann::json::error_handler_t::replace) +
        "\n";
}

bool Findings::keep(const Finding &finding)
{
    std::lock_guard<std::mutex> guard(lock_);
    auto &entry = entries_[{finding.kind, finding.function, finding.site,
                            finding.kind == Kind::deadlock ? finding.rank : -1}];
    entry.ranks.insert(finding.rank);
    if (entry.times++ > 0)
        return false;
    entry.first = finding;
    write_stderr("QMPI check: " + finding.line() + "\n");
    return true;
}

}  // namespace qmpi::check
