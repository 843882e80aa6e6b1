/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "accesses.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace qmpi::check {

void Accesses::set_unit(std::uint64_t window, int target, std::int64_t unit)
{
    Target &memory = windows_[window][target];
    memory.unit = unit;
    add_early(memory);
}

/* Accesses of the exposure before the last one may still arrive. */
void Accesses::expose(int target, const ExposureEvent &event)
{
    Target &memory = windows_[event.window][target];
    const std::uint64_t number = memory.exposures++;
    if (number > 0) /* as the accesses below */
        memory.without_puts.erase(memory.without_puts.lower_bound({true, 0}),
                                  memory.without_puts.lower_bound({true, number - 1}));
    if (!event.has_puts)
        memory.without_puts[{true, number}] = event.position;
    for (const int origin : event.origins) {
        Exposures &exposures = memory.exposed[origin];
        exposures.numbers.push_back(number);
        if (exposures.numbers.size() > most_accesses) {
            exposures.numbers.pop_front();
            exposures.first++;
        }
    }
    forget(memory, [number](const Access &access) {
        return access.epoch == AccessEvent::Epoch::started && access.number + 1 < number;
    });
    add_early(memory);
}

void Accesses::exclude_puts(int target, const NoPutsEvent &event)
{
    Target &memory = windows_[event.window][target];
    memory.without_puts[{false, event.number}] = event.position;
    for (const auto &[begin, access] : memory.accesses) {
        if (access->epoch == AccessEvent::Epoch::fence && access->number == event.number)
            find_excluded(memory, target, *access);
    }
}

void Accesses::find_excluded(const Target &target, int target_rank, const Access &access)
{
    if (access.is_of_lock() ||
        (access.kind != AccessEvent::Kind::put && access.kind != AccessEvent::Kind::accumulate))
        return;
    const auto found =
        target.without_puts.find({access.epoch == AccessEvent::Epoch::started, access.number});
    if (found != target.without_puts.end())
        conflicts_.push_back({access.rank, target_rank, target_rank, access.position, found->second,
                              false, false, false, true});
}

void Accesses::add_early(Target &target)
{
    if (target.early.empty())
        return;
    number_of_early_ -= target.early.size();
    for (const Early &early : std::exchange(target.early, {}))
        add(target, early);
    forget(target, [](const Access &access) {
        return access.epoch == AccessEvent::Epoch::exclusive && access.done != 0;
    });
}

bool Accesses::add(int rank, const AccessEvent &event, const SharedClock &clock, std::uint64_t next)
{
    return add(windows_[event.window][event.target], {rank, event, clock, next});
}

bool Accesses::add(Target &target, const Early &access)
{
    const AccessEvent &event = access.event;
    std::uint64_t number = event.number;
    bool is_known = target.unit != 0;
    if (event.epoch == AccessEvent::Epoch::started) {
        const Exposures &exposures = target.exposed[access.rank];
        if (number < exposures.first)
            return false;
        is_known = is_known && number - exposures.first < exposures.numbers.size();
        if (is_known)
            number = exposures.numbers[number - exposures.first];
    }
    if (is_known)
        return compare(target, access, number);
    if (target.early.size() < most_accesses) {
        target.early.push_back(access);
        number_of_early_++;
    } else
        crowded_.push_back(event.target);
    return false;
}

/* Returns false if one is kept that is complete when the access is. */
bool Accesses::replace_equal(Target &target, const Access &access)
{
    bool is_new = true;
    auto other = target.accesses.lower_bound(access.begin);
    while (other != target.accesses.end() && other->first == access.begin) {
        const bool is_equal = other->second->key() == access.key();
        const bool is_kept = is_equal && other->second->done == access.done;
        is_new = is_new && !is_kept;
        other = is_equal && !is_kept ? target.accesses.erase(other) : std::next(other);
    }
    return is_new;
}

bool Accesses::compare(Target &target, const Early &early, std::uint64_t number)
{
    const AccessEvent &event = early.event;
    std::vector<SharedAccess> made;
    std::optional<Candidate> found;
    for (std::size_t i = 0; i + 1 < event.blocks.size(); i += 2) {
        const std::int64_t begin = event.displacement * target.unit + event.blocks[i];
        const auto access = std::make_shared<Access>(Access{
            begin, begin + event.blocks[i + 1], event.blocks.size() == 2, early.rank, event.kind,
            event.epoch, number, event.operation, event.basic, early.done, event.position});
        if (i == 0 && !target.without_puts.empty())
            find_excluded(target, event.target, *access);
        for (auto other = target.accesses.lower_bound(begin - target.longest);
             other != target.accesses.end() && other->first < access->end && !found; ++other) {
            if (!is_conflict(*other->second, *access, early.clock))
                continue;
            found = {event.window, event.target, other->second, access, early.next};
            if (!found->is_certain() && (has(told_, *found->first) || has(told_, *access))) {
                ordered_.insert({early.rank, found->first->rank});
                found.reset();
            }
        }
        if (replace_equal(target, *access) || found)
            made.push_back(access);
    }
    if (found)
        accuse(*found);
    for (const SharedAccess &access : made) {
        target.longest = std::max(target.longest, access->end - access->begin);
        target.accesses.emplace(access->begin, access);
        if (access->is_of_lock() && access->done == 0)
            open_[{event.window, early.rank}].emplace_back(event.target, access);
    }
    while (target.accesses.size() > most_accesses) {
        target.accesses.erase(target.accesses.begin());
        crowded_.push_back(event.target);
    }
    return found && !found->is_certain();
}

void Accesses::accuse(const Candidate &candidate)
{
    if (candidate.is_certain())
        report(candidate);
    else if (candidates_.size() < most_accesses)
        candidates_.push_back(candidate);
    else
        crowded_.push_back(candidate.target);
}

void Accesses::report(const Candidate &candidate)
{
    const Access &first = *candidate.first, &second = *candidate.second;
    conflicts_.push_back({second.rank, first.rank, candidate.target, second.position,
                          first.position, has_other_operation(first, second),
                          has_other_type(first, second), is_displaced(first, second)});
}

bool Accesses::has(const SharedClock &clock, const Access &access)
{
    return Clock::unordered(clock) >= 0 ||
        (access.done != 0 && Clock::time(clock, access.rank) >= access.done);
}

void Accesses::tell(const SharedClock &clock)
{
    told_ = Clock::join(told_, clock);
    erase_if(candidates_, [&](const Candidate &candidate) {
        const Access &first = *candidate.first, &second = *candidate.second;
        const bool knows_second = Clock::time(clock, second.rank) >= candidate.second_time;
        const bool is_ordered = has(clock, first) ? !knows_second : has(clock, second);
        if (is_ordered)
            ordered_.insert({second.rank, first.rank});
        return is_ordered;
    });
}

void Accesses::end()
{
    for (const Candidate &candidate : std::exchange(candidates_, {}))
        report(candidate);
}

/* The default of the info key accumulate_ops allows MPI_NO_OP beside one operation (MPI 4.0, 12.2.1). */
bool Accesses::has_other_operation(const Access &a, const Access &b)
{
    return a.operation != 0 && b.operation != 0 && a.operation != b.operation;
}

/* MPI 4.0, 12.7.1 */
bool Accesses::has_other_type(const Access &a, const Access &b)
{
    return a.basic != 0 && b.basic != 0 && a.basic != b.basic &&
        (a.kind == AccessEvent::Kind::accumulate || b.kind == AccessEvent::Kind::accumulate);
}

/* By a part of an element of the type that both have. */
bool Accesses::is_displaced(const Access &a, const Access &b)
{
    return a.basic != 0 && a.basic == b.basic && (a.begin - b.begin) % (a.basic & 255) != 0 &&
        (a.kind == AccessEvent::Kind::accumulate || b.kind == AccessEvent::Kind::accumulate);
}

bool Accesses::is_conflict(const Access &earlier, const Access &access, const SharedClock &clock)
{
    if (earlier.end <= access.begin || earlier.epoch != access.epoch)
        return false;
    /* Accumulates of a process have an order if the elements are the same (MPI 4.0, 12.7.2). The process
     * itself sees that other accesses begin at the same place. */
    const bool is_own = earlier.rank == access.rank;
    const bool may_overlap = check::may_overlap(earlier.kind, access.kind);
    if (may_overlap && !has_other_type(earlier, access) && !is_displaced(earlier, access) &&
        (is_own || !has_other_operation(earlier, access)))
        return false;
    if (is_own && !may_overlap && earlier.begin == access.begin && earlier.is_whole &&
        access.is_whole)
        return false;
    if (!access.is_of_lock())
        return earlier.number == access.number;
    /* An exclusive lock orders accesses of different processes. */
    return (is_own || access.epoch == AccessEvent::Epoch::shared) &&
        (earlier.done == 0 || Clock::time(clock, earlier.rank) < earlier.done);
}

bool Accesses::is_completed_by(const AccessesCompleteEvent &event, AccessEvent::Kind kind,
                               int target)
{
    return (event.target < 0 || target == event.target) &&
        !(event.are_reads && kind == AccessEvent::Kind::put);
}

void Accesses::complete(int rank, const AccessesCompleteEvent &event, std::uint64_t time)
{
    if (number_of_early_ > 0) {
        for (auto &[target_rank, target] : windows_[event.window]) {
            for (Early &early : target.early) {
                if (early.rank == rank && early.done == 0 &&
                    is_completed_by(event, early.event.kind, early.event.target))
                    early.done = time;
            }
        }
    }
    const auto found = open_.find({event.window, rank});
    if (found == open_.end())
        return;
    auto &open = found->second;
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](auto &entry) {
                                  const auto &[target, access] = entry;
                                  if (!is_completed_by(event, access->kind, target))
                                      return false;
                                  access->done = time;
                                  if (access->epoch == AccessEvent::Epoch::exclusive)
                                      forget(windows_[event.window][target], access);
                                  return true;
                              }),
               open.end());
    if (open.empty())
        open_.erase(found);
}

void Accesses::forget(Target &target, const SharedAccess &access)
{
    const auto [first, last] = target.accesses.equal_range(access->begin);
    const auto found =
        std::find_if(first, last, [&](const auto &other) { return other.second == access; });
    if (found != last)
        target.accesses.erase(found);
}

void Accesses::end_epochs(std::uint64_t window, std::uint64_t number)
{
    for (auto &[rank, target] : windows_[window]) {
        forget(target, [number](const Access &access) {
            return access.epoch != AccessEvent::Epoch::fence || access.number < number;
        });
        target.without_puts.erase(target.without_puts.begin(),
                                  target.without_puts.lower_bound({false, number}));
    }
}

void Accesses::free(std::uint64_t window)
{
    erase_if(candidates_, [&](const Candidate &candidate) {
        if (candidate.window == window)
            report(candidate);
        return candidate.window == window;
    });
    const auto found = windows_.find(window);
    if (found == windows_.end())
        return;
    for (const auto &[rank, target] : found->second)
        number_of_early_ -= target.early.size();
    windows_.erase(found);
}

}  // namespace qmpi::check
