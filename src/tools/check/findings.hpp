/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Findings: one per call site and kind, printed when new. */

#ifndef TOOLS_CHECK_FINDINGS_HPP_INCLUDED
#define TOOLS_CHECK_FINDINGS_HPP_INCLUDED

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

namespace qmpi::check {

enum class Kind : std::uint8_t {
    collective,
    signature,
    truncation,
    unreceived,
    overlap,
    changed,
    handle,
    leak,
    request,
    epoch,
    conflict,
    deadlock
};

/* Name for users, and the argument that disables it. */
struct KindName {
    const char *name;
    const char *argument;
};

inline constexpr KindName kind_names[] = {{"collective mismatch", "collectives"},
                                          {"type mismatch", "signatures"},
                                          {"truncation", "signatures"},
                                          {"message not received", "unreceived"},
                                          {"buffer overlap", "overlaps"},
                                          {"buffer changed", "checksums"},
                                          {"freed handle", "handles"},
                                          {"leak", "leaks"},
                                          {"pending request", "requests"},
                                          {"access epoch", "epochs"},
                                          {"access conflict", "epochs"},
                                          {"deadlock", "deadlock"}};

inline constexpr std::size_t number_of_kinds = sizeof kind_names / sizeof kind_names[0];

inline const char *name_of(Kind kind)
{
    return kind_names[static_cast<std::size_t>(kind)].name;
}

struct Finding {
    Kind kind;
    int rank; /* -1 outside MPI_COMM_WORLD */
    std::string function;
    std::string site;
    std::string text; /* without the prefix "rank ...: " */

    std::string line() const
    {
        const std::string who = rank < 0 ? std::string() : "rank " + std::to_string(rank) + ": ";
        return who + function + " at " + site + ": " + name_of(kind) + ": " + text;
    }
};

/* Thread-safe. */
class Findings {
  public:
    /* Kinds the user wants; initially all. */
    void choose(Kind kind, bool is_wanted)
    {
        is_wanted_[static_cast<std::size_t>(kind)] = is_wanted;
    }
    bool wants(Kind kind) const { return is_wanted_[static_cast<std::size_t>(kind)]; }

    /* Prints the finding if it is new for its call site and kind. In a deadlock, the text counts as
     * well. */
    void add(const Finding &finding);

    /* on_new is called after each new finding, by the thread that found it. */
    void when_new(std::function<void()> on_new) { on_new_ = std::move(on_new); }

    /* Processes that take no part. */
    void set_absent(const std::string &absent) { absent_ = absent; }

    std::string text() const;
    std::string json() const;

  private:
    bool keep(const Finding &finding);

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
    std::string absent_;
    mutable std::mutex lock_;
    std::map<std::tuple<Kind, std::string, std::string, int>, Entry> entries_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_FINDINGS_HPP_INCLUDED */
