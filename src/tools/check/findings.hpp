/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Findings: one per call site and kind. */

#ifndef TOOLS_CHECK_FINDINGS_HPP_INCLUDED
#define TOOLS_CHECK_FINDINGS_HPP_INCLUDED

#include "../common/call_sites.hpp"
#include "../common/wire.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace qmpi::check {

enum class Kind : std::uint8_t {
    argument,
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
    deadlock,
    possible_deadlock,
    message_race,
    ready,
    thread,
    unfinished
};

/* For MPI_ERR_TRUNCATE of the library, if the call that has sent the message is not known. */
inline constexpr const char *too_long = "the message is longer than the buffer";
constexpr Kind kind_of_too_long(bool is_collective)
{
    return is_collective ? Kind::signature : Kind::truncation;
}

/* Name for users, and the switch: its name, help and default. Kinds with the same switch follow the
 * first one's. */
struct KindName {
    const char *name;
    const char *argument;
    const char *help = "";
    bool is_default = true;
};

inline constexpr KindName kind_names[] = {
    {"invalid argument", "arguments", "do not report arguments that MPI forbids"},
    {"collective mismatch", "collectives",
     "do not compare the order of collective operations, roots and operations"},
    {"type mismatch", "signatures", "do not compare types and lengths of sent and received data"},
    {"truncation", "signatures"},
    {"message not received", "unreceived", "do not report messages that are never received"},
    {"buffer overlap", "overlaps", "do not report pending operations on the same memory"},
    {"buffer changed", "checksums", "report buffers that change while they are being sent", false},
    {"freed handle", "handles", "do not report the use of freed handles"},
    {"leak", "leaks", "do not report objects that are not freed before MPI_Finalize"},
    {"pending request", "requests", "do not report operations that are never completed"},
    {"access epoch", "epochs", "do not report one-sided accesses outside an epoch, or in conflict"},
    {"access conflict", "epochs"},
    {"deadlock", "deadlock"},
    {"possible deadlock", "buffering",
     "do not report calls that complete only if the library buffers messages"},
    {"message race", "races", "report receives from any process that could get another message",
     false},
    {"ready send", "ready", "do not report ready sends whose receive may not have started"},
    {"calling thread", "threads",
     "do not report calls that the level of thread support forbids to a thread"},
    {"not finalized", "finalize", "do not report processes that end without MPI_Finalize"}};

inline constexpr std::size_t number_of_kinds = sizeof kind_names / sizeof kind_names[0];

inline const char *name_of(Kind kind)
{
    return kind_names[static_cast<std::size_t>(kind)].name;
}

/* A call site that is sent and written. */
struct Place : CallSite {
    Place() = default;
    explicit Place(CallSite site) : CallSite(std::move(site)) {}

    /* "halo.c:231", or what else is known. */
    std::string text() const;

    auto fields() { return std::tie(function, file, line, module, offset); }
};

/* "MPI_Recv at halo.c:231" */
inline std::string call_text(const std::string &function, const Place &place)
{
    return function + " at " + place.text();
}

/* A call that a finding names beside its own. */
struct OtherCall {
    int rank = -1;
    std::string function;
    Place place;

    auto fields() { return std::tie(rank, function, place); }
};

/* An event that a deadlocked process waits for. */
struct Awaited {
    std::string what;
    std::vector<int> ranks; /* the first of them */
    std::vector<int> ended; /* those of them that have ended */

    auto fields() { return std::tie(what, ranks, ended); }
};

struct Finding {
    Kind kind = Kind::collective;
    int rank = -1; /* -1 outside MPI_COMM_WORLD */
    std::string function;
    Place place;
    std::string text; /* without the prefix "rank ...: " */
    std::vector<OtherCall> others;
    std::vector<Awaited> awaited;

    /* "MPI_Recv at halo.c:231: truncation", the line that suppresses it. */
    std::string entry() const { return call_text(function, place) + ": " + name_of(kind); }

    std::string line() const
    {
        const std::string who = rank < 0 ? std::string() : "rank " + std::to_string(rank) + ": ";
        return who + entry() + ": " + text;
    }

    void write(Writer &writer) const;
    static Finding read(Reader &reader);
};

/* Findings that differ only in rank and text are one entry; a deadlock has one for each rank. */
class FindingSet {
  public:
    struct Entry {
        Finding first;
        std::uint64_t times = 0;
        std::set<int> ranks;
    };

    /* Returns true if the entry is new. */
    bool add(const Finding &finding, std::uint64_t times = 1);

    void write(Writer &writer) const;
    void merge(Reader &reader);

    std::size_t size() const { return entries_.size(); }

    template <typename Visit>
    void each(Visit visit) const
    {
        for (const auto &[key, entry] : entries_)
            visit(entry);
    }

  private:
    Entry &entry_of(const Finding &finding);

    std::map<std::tuple<Kind, std::string, std::string, int>, Entry> entries_;
};

/* Findings that this process prints, each entry when it is new. Thread-safe. */
class Findings {
  public:
    /* Kinds the user wants; initially all. */
    void choose(Kind kind, bool is_wanted)
    {
        is_wanted_[static_cast<std::size_t>(kind)] = is_wanted;
    }
    bool wants(Kind kind) const { return is_wanted_[static_cast<std::size_t>(kind)]; }

    /* Suppressed findings are kept, not printed. */
    void suppress(std::function<bool(const Finding &)> is_suppressed)
    {
        is_suppressed_ = std::move(is_suppressed);
    }

    /* Returns true if the finding was printed. */
    bool add(const Finding &finding);

    /* Adds findings that other processes have printed. */
    void merge(const FindingSet &others);

    /* on_new is called after each finding that was printed, by the thread that found it. */
    void when_new(std::function<void()> on_new) { on_new_ = std::move(on_new); }

    FindingSet all() const;

  private:
    bool keep(const Finding &finding);

    std::array<bool, number_of_kinds> is_wanted_ = [] {
        std::array<bool, number_of_kinds> all{};
        all.fill(true);
        return all;
    }();
    std::function<bool(const Finding &)> is_suppressed_ = [](const Finding &) { return false; };
    std::function<void()> on_new_;
    mutable std::mutex lock_;
    FindingSet set_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_FINDINGS_HPP_INCLUDED */
