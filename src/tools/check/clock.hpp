/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Vector clocks: how much of the other processes' past a process knows. Only processes whose time
 * matters for a finding have an entry, so that most clocks are empty. */

#ifndef TOOLS_CHECK_CLOCK_HPP_INCLUDED
#define TOOLS_CHECK_CLOCK_HPP_INCLUDED

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace qmpi::check {

class Clock;
using SharedClock = std::shared_ptr<const Clock>; /* null: empty */

class Clock {
  public:
    static std::uint64_t time(const SharedClock &clock, int rank)
    {
        if (clock == nullptr)
            return 0;
        const auto found = clock->find(rank);
        return found != clock->times_.end() && found->first == rank ? found->second : 0;
    }

    /* A process that may know more than its clock, and what that clock is joined with; -1: none. */
    static int unordered(const SharedClock &clock)
    {
        return clock == nullptr ? -1 : clock->unordered_;
    }

    /* Both. Returns one of them if it has all that the other has. */
    static SharedClock join(const SharedClock &a, const SharedClock &b)
    {
        if (b == nullptr || a == b)
            return a;
        if (a == nullptr || b->has(*a))
            return b;
        if (a->has(*b))
            return a;
        auto both = std::make_shared<Clock>(*a);
        for (const auto &[rank, time] : b->times_)
            both->set(rank, std::max(time, Clock::time(both, rank)));
        both->unordered_ = std::max(a->unordered_, b->unordered_);
        return both;
    }

    static SharedClock with(const SharedClock &clock, int rank, std::uint64_t time)
    {
        auto changed =
            clock == nullptr ? std::make_shared<Clock>() : std::make_shared<Clock>(*clock);
        changed->set(rank, time);
        return changed;
    }

    static SharedClock with_unordered(const SharedClock &clock, int rank)
    {
        auto changed =
            clock == nullptr ? std::make_shared<Clock>() : std::make_shared<Clock>(*clock);
        changed->unordered_ = rank;
        return changed;
    }

  private:
    using Times = std::vector<std::pair<int, std::uint64_t>>; /* by rank */

    Times::const_iterator find(int rank) const
    {
        return std::lower_bound(times_.begin(), times_.end(),
                                std::make_pair(rank, std::uint64_t{0}));
    }

    bool has(const Clock &other) const
    {
        return times_.size() >= other.times_.size() && (unordered_ >= 0 || other.unordered_ < 0) &&
            std::all_of(other.times_.begin(), other.times_.end(), [this](const auto &entry) {
                   const auto own = find(entry.first);
                   return own != times_.end() && own->first == entry.first &&
                       own->second >= entry.second;
               });
    }

    void set(int rank, std::uint64_t time)
    {
        const auto found = times_.begin() + (find(rank) - times_.begin());
        if (found != times_.end() && found->first == rank)
            found->second = time;
        else
            times_.insert(found, {rank, time});
    }

    Times times_;
    int unordered_ = -1;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_CLOCK_HPP_INCLUDED */
