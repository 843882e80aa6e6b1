/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* What the tool "check" has found: kept once for each call site, printed when it is new. */

#ifndef CHECK_FINDINGS_HPP_INCLUDED
#define CHECK_FINDINGS_HPP_INCLUDED

#include "../common/report.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

#include <nlohmann/json.hpp>

namespace check {

enum class Kind : std::uint8_t {
    collective, signature, truncation, unreceived, overlap, changed, handle, leak, request, epoch, conflict, deadlock
};

/* What users read, and the argument that switches it off. */
struct KindName {
    const char *name;
    const char *argument;
};

inline constexpr KindName kind_names[] = {
    {"collective mismatch", "collectives"}, {"type mismatch", "signatures"},
    {"truncation", "signatures"},           {"message not received", "unreceived"},
    {"buffer overlap", "overlaps"},         {"buffer changed", "checksums"},
    {"freed handle", "handles"},            {"leak", "leaks"},
    {"pending request", "requests"},        {"access epoch", "epochs"},
    {"access conflict", "epochs"},          {"deadlock", "deadlock"}};

inline constexpr std::size_t number_of_kinds = sizeof kind_names / sizeof kind_names[0];

inline const char *name_of(Kind kind)
{
    return kind_names[static_cast<std::size_t>(kind)].name;
}

struct Finding {
    Kind kind;
    int rank;               /* in MPI_COMM_WORLD; -1 where the process has none */
    std::string function;
    std::string site;
    std::string text;       /* what is wrong, without the beginning "rank ...: " */

    std::string line() const
    {
        const std::string who = rank < 0 ? std::string() : "rank " + std::to_string(rank) + ": ";
        return who + function + " at " + site + ": " + name_of(kind) + ": " + text;
    }
};

/* Any number of threads. */
class Findings {
  public:
    /* Which kinds the user wants to hear of; all at first. */
    void choose(Kind kind, bool is_wanted) { is_wanted_[static_cast<std::size_t>(kind)] = is_wanted; }
    bool wants(Kind kind) const { return is_wanted_[static_cast<std::size_t>(kind)]; }

    /* Prints the finding if its call site has no other of the kind. In a deadlock it matters what each
     * process waits for. */
    void add(const Finding &finding)
    {
        if (wants(finding.kind) && keep(finding) && on_new_)
            on_new_();
    }

    /* Called after each finding that is new, by the thread that has made it. */
    void when_new(std::function<void()> on_new) { on_new_ = std::move(on_new); }

    std::string text() const
    {
        std::lock_guard<std::mutex> guard(lock_);
        std::string text = "check: " + std::to_string(entries_.size()) +
            (entries_.size() == 1 ? " finding\n" : " findings\n");
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

    std::string json() const
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
        return nlohmann::json{{"tool", "check"}, {"findings", findings}}.dump(
                   1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    }

  private:
    bool keep(const Finding &finding)
    {
        std::lock_guard<std::mutex> guard(lock_);
        auto &entry = entries_[{finding.kind, finding.function, finding.site,
                                finding.kind == Kind::deadlock ? finding.rank : -1}];
        entry.ranks.insert(finding.rank);
        if (entry.times++ > 0)
            return false;
        entry.first = finding;
        tools::write_stderr("QMPI check: " + finding.line() + "\n");
        return true;
    }

    struct Entry {
        Finding first;
        std::uint64_t times = 0;
        std::set<int> ranks;
    };

    std::array<bool, number_of_kinds> is_wanted_ = [] {
        std::array<bool, number_of_kinds> all{};
        all.fill(true);
        return all;
    }();
    std::function<void()> on_new_;
    mutable std::mutex lock_;
    std::map<std::tuple<Kind, std::string, std::string, int>, Entry> entries_;
};

}  // namespace check

#endif /* CHECK_FINDINGS_HPP_INCLUDED */
