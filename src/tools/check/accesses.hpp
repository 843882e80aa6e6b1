/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accesses to the same memory of a window. Two conflict if they overlap, one of them writes, not both
 * accumulate with the same operation and type, and neither the synchronization of the window nor
 * messages order them (MPI 4.0, 12.7). Not thread-safe. */

#ifndef TOOLS_CHECK_ACCESSES_HPP_INCLUDED
#define TOOLS_CHECK_ACCESSES_HPP_INCLUDED

#include "clock.hpp"
#include "erase.hpp"
#include "events.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qmpi::check {

struct Conflict {
    int rank, other_rank, target;
    Position position, other_position;
    bool has_other_operation, has_other_type, is_displaced; /* both accumulate */
    bool is_excluded = false; /* the target has called with MPI_MODE_NOPUT */
};

class Accesses {
  public:
    /* Bytes for which a displacement counts at the target. */
    void set_unit(std::uint64_t window, int target, std::int64_t unit);

    /* MPI_Win_post of the process. */
    void expose(int target, const ExposureEvent &event);

    /* The process has called MPI_Win_fence with MPI_MODE_NOPUT. */
    void exclude_puts(int target, const NoPutsEvent &event);

    /* The process knows what is in the clock. next: its time when it next tells others of itself.
     * Returns true if it should do so at once: the access may conflict with one under a shared lock. */
    bool add(int rank, const AccessEvent &event, const SharedClock &clock, std::uint64_t next);

    /* A process that polls its memory can see a write under a shared lock, and know what the writer
     * knows; so can those that it tells. Which access was first is not known: the one that is complete
     * before the write could have been, and then there is no conflict. A writer whose order is unknown
     * may know of any access. */
    void tell(const SharedClock &clock);

    /* No process will write again. */
    void end();

    /* time: of the process, from now on. */
    void complete(int rank, const AccessesCompleteEvent &event, std::uint64_t time);

    /* All processes have ended the fence epochs before that number. */
    void end_epochs(std::uint64_t window, std::uint64_t number);

    void free(std::uint64_t window);

    bool has_results() const
    {
        return !conflicts_.empty() || !crowded_.empty() || !ordered_.empty();
    }
    std::vector<Conflict> take_conflicts() { return std::exchange(conflicts_, {}); }

    /* Processes with accesses that a write may have told of, and whose accesses they would conflict
     * with: both ranks. */
    std::set<std::pair<int, int>> take_ordered() { return std::exchange(ordered_, {}); }

    /* Targets of more accesses than are kept. */
    std::vector<int> take_crowded() { return std::exchange(crowded_, {}); }

    /* Kept at most for a target. */
    static constexpr std::size_t most_accesses = 4096;

  private:
    struct Access {
        std::int64_t begin, end; /* bytes in the window */
        bool is_whole;           /* not one block of several */
        int rank;
        AccessEvent::Kind kind;
        AccessEvent::Epoch epoch;
        std::uint64_t number; /* of the fence epoch, or of the target's exposure */
        std::uint64_t operation;
        std::uint16_t basic;
        std::uint64_t done; /* time when it was complete at the target; 0: not yet */
        Position position;

        /* Of accesses with the same of these, what conflicts with the first conflicts with the last. */
        auto key() const
        {
            return std::tie(begin, end, is_whole, rank, kind, epoch, number, operation, basic);
        }

        bool is_of_lock() const
        {
            return epoch == AccessEvent::Epoch::shared || epoch == AccessEvent::Epoch::exclusive;
        }
    };

    using SharedAccess = std::shared_ptr<Access>;

    /* An access whose place or epoch is not known yet. */
    struct Early {
        int rank;
        AccessEvent event;
        SharedClock clock;
        std::uint64_t next;
        std::uint64_t done = 0; /* as of an access */
    };

    /* A conflict unless a later write tells of one of both. */
    struct Candidate {
        std::uint64_t window;
        int target;
        SharedAccess first, second; /* as the tool has heard of them */
        std::uint64_t second_time;

        bool is_certain() const
        {
            return second->epoch != AccessEvent::Epoch::shared || first->rank == second->rank;
        }
    };

    /* The last exposures that a process may have accesses in. */
    struct Exposures {
        std::uint64_t first = 0; /* MPI_Win_start of the process that this is for */
        std::deque<std::uint64_t> numbers;
    };

    struct Target {
        std::int64_t unit = 0; /* 0: unknown */
        std::uint64_t exposures = 0;
        std::map<int, Exposures> exposed; /* by process */
        std::vector<Early> early;
        /* Epochs without puts: of exposures or else of fences, and their numbers. */
        std::map<std::pair<bool, std::uint64_t>, Position> without_puts;
        std::multimap<std::int64_t, SharedAccess> accesses; /* by begin */
        std::int64_t longest = 0;
    };

    void find_excluded(const Target &target, int target_rank, const Access &access);
    static bool has_other_operation(const Access &a, const Access &b);
    static bool has_other_type(const Access &a, const Access &b);
    static bool is_displaced(const Access &a, const Access &b);
    static bool is_conflict(const Access &earlier, const Access &access, const SharedClock &clock);
    static bool is_completed_by(const AccessesCompleteEvent &event, AccessEvent::Kind kind,
                                int target);
    static bool has(const SharedClock &clock, const Access &access); /* its completion */
    bool add(Target &target, const Early &access);
    void add_early(Target &target);
    static bool replace_equal(Target &target, const Access &access);
    bool compare(Target &target, const Early &access, std::uint64_t number);
    void accuse(const Candidate &candidate);
    void report(const Candidate &candidate);

    static void forget(Target &target, const SharedAccess &access);

    template <typename Condition>
    static void forget(Target &target, Condition condition)
    {
        erase_if(target.accesses, [&](const auto &access) { return condition(*access.second); });
    }

    std::unordered_map<std::uint64_t, std::map<int, Target>> windows_; /* by rank */
    /* Accesses under a lock that are not complete, by window and rank, with target. */
    std::map<std::pair<std::uint64_t, int>, std::vector<std::pair<int, SharedAccess>>> open_;
    std::vector<Candidate> candidates_;
    SharedClock told_; /* what any write has told of */
    std::vector<Conflict> conflicts_;
    std::set<std::pair<int, int>> ordered_;
    std::vector<int> crowded_;
    std::size_t number_of_early_ = 0;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_ACCESSES_HPP_INCLUDED */
