/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "accesses.hpp"

#include <algorithm>

namespace qmpi::check {

void Accesses::set_unit(std::uint64_t window, int target, std::int64_t unit)
{
    Target &memory = targets_[{window, target}];
    memory.unit = unit;
    const auto early = std::exchange(memory.early, {});
    const auto clocks = std::exchange(memory.clocks, {});
    for (std::size_t i = 0; i < early.size(); i++)
        add(memory, early[i].first, early[i].second, clocks[i]);
}

void Accesses::add(int rank, const AccessEvent &event, const SharedClock &clock)
{
    Target &target = targets_[{event.window, event.target}];
    if (target.unit != 0)
        add(target, rank, event, clock);
    else if (target.early.size() < most_accesses) {
        target.early.emplace_back(rank, event);
        target.clocks.push_back(clock);
    } else
        crowded_.insert(event.target);
}

void Accesses::add(Target &target, int rank, const AccessEvent &event, const SharedClock &clock)
{
    std::vector<SharedAccess> made;
    SharedAccess conflict;
    for (std::size_t i = 0; i + 1 < event.blocks.size(); i += 2) {
        const std::int64_t begin = event.displacement * target.unit + event.blocks[i];
        made.push_back(
            std::make_shared<Access>(Access{begin, begin + event.blocks[i + 1], rank, event.kind,
                                            event.epoch, event.number, 0, event.position}));
        const Access &access = *made.back();
        for (auto other = target.accesses.lower_bound(begin - target.longest);
             other != target.accesses.end() && other->first < access.end && conflict == nullptr;
             ++other) {
            if (is_conflict(*other->second, access, clock))
                conflict = other->second;
        }
    }
    if (conflict != nullptr)
        conflicts_.push_back(
            {rank, conflict->rank, event.target, event.position, conflict->position});
    for (const SharedAccess &access : made) {
        target.longest = std::max(target.longest, access->end - access->begin);
        target.accesses.emplace(access->begin, access);
        if (access->epoch == AccessEvent::Epoch::shared)
            open_[{event.window, rank}].emplace_back(event.target, access);
    }
    while (target.accesses.size() > most_accesses) {
        target.accesses.erase(target.accesses.begin());
        crowded_.insert(event.target);
    }
}

bool Accesses::is_conflict(const Access &earlier, const Access &access, const SharedClock &clock)
{
    using Kind = AccessEvent::Kind;
    using Epoch = AccessEvent::Epoch;
    if (earlier.rank == access.rank || earlier.end <= access.begin ||
        (earlier.kind == access.kind && access.kind != Kind::put) || earlier.epoch != access.epoch)
        return false;
    if (access.epoch == Epoch::fence)
        return earlier.number == access.number;
    return earlier.done == 0 || Clock::time(clock, earlier.rank) < earlier.done;
}

void Accesses::complete(int rank, const AccessesCompleteEvent &event, std::uint64_t time)
{
    const auto found = open_.find({event.window, rank});
    if (found == open_.end())
        return;
    auto &open = found->second;
    open.erase(
        std::remove_if(open.begin(), open.end(),
                       [&](auto &entry) {
                           if ((event.target >= 0 && entry.first != event.target) ||
                               (event.are_reads && entry.second->kind == AccessEvent::Kind::put))
                               return false;
                           entry.second->done = time;
                           return true;
                       }),
        open.end());
    if (open.empty())
        open_.erase(found);
}

void Accesses::end_epochs(std::uint64_t window, std::uint64_t number)
{
    for (auto found = targets_.lower_bound({window, 0});
         found != targets_.end() && found->first.first == window; ++found) {
        auto &accesses = found->second.accesses;
        for (auto access = accesses.begin(); access != accesses.end();) {
            const bool has_ended = access->second->epoch != AccessEvent::Epoch::fence ||
                access->second->number < number;
            access = has_ended ? accesses.erase(access) : std::next(access);
        }
    }
}

void Accesses::free(std::uint64_t window)
{
    targets_.erase(targets_.lower_bound({window, 0}), targets_.lower_bound({window + 1, 0}));
}

}  // namespace qmpi::check
