/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accesses of different processes to the same memory of a window. Two conflict if they overlap, one
 * of them writes, not both accumulate, and neither the synchronization of the window nor messages
 * order them (MPI 4.0, 12.7). Not thread-safe. */

#ifndef TOOLS_CHECK_ACCESSES_HPP_INCLUDED
#define TOOLS_CHECK_ACCESSES_HPP_INCLUDED

#include "clock.hpp"
#include "events.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace qmpi::check {

struct Conflict {
    int rank, other_rank, target;
    Position position, other_position;
};

class Accesses {
  public:
    /* Bytes for which a displacement counts at the target. */
    void set_unit(std::uint64_t window, int target, std::int64_t unit);

    /* The process knows what is in the clock. */
    void add(int rank, const AccessEvent &event, const SharedClock &clock);

    /* time: of the process, from now on. */
    void complete(int rank, const AccessesCompleteEvent &event, std::uint64_t time);

    /* All processes have ended the fence epochs before that number. */
    void end_epochs(std::uint64_t window, std::uint64_t number);

    void free(std::uint64_t window);

    std::vector<Conflict> take_conflicts() { return std::exchange(conflicts_, {}); }

    /* Targets of more accesses than are kept. */
    std::set<int> take_crowded() { return std::exchange(crowded_, {}); }

    /* Kept at most for a target. */
    static constexpr std::size_t most_accesses = 4096;

  private:
    struct Access {
        std::int64_t begin, end; /* bytes in the window */
        int rank;
        AccessEvent::Kind kind;
        AccessEvent::Epoch epoch;
        std::uint64_t number; /* of the fence epoch */
        std::uint64_t done;   /* time when it was complete at the target; 0: not yet */
        Position position;
    };

    using SharedAccess = std::shared_ptr<Access>;

    struct Target {
        std::int64_t unit = 0;                              /* 0: unknown */
        std::vector<std::pair<int, AccessEvent>> early;     /* until it is known */
        std::vector<SharedClock> clocks;                    /* of these */
        std::multimap<std::int64_t, SharedAccess> accesses; /* by begin */
        std::int64_t longest = 0;
    };

    static bool is_conflict(const Access &earlier, const Access &access, const SharedClock &clock);
    void add(Target &target, int rank, const AccessEvent &event, const SharedClock &clock);

    std::map<std::pair<std::uint64_t, int>, Target> targets_; /* by window and rank */
    /* Accesses under a shared lock that are not complete, by window and rank, with target. */
    std::map<std::pair<std::uint64_t, int>, std::vector<std::pair<int, SharedAccess>>> open_;
    std::vector<Conflict> conflicts_;
    std::set<int> crowded_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_ACCESSES_HPP_INCLUDED */
