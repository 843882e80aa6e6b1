/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "resources.hpp"

#include <algorithm>
#include <limits>

namespace qmpi::check {

void Handles::made(const Handle &handle, const Position &position)
{
    std::lock_guard<std::mutex> guard(lock_);
    Object &object = objects_[handle];
    object.makers.push_back(position);
    object.freed.reset();
}

void Handles::freed(const Handle &handle, const Position &position)
{
    std::lock_guard<std::mutex> guard(lock_);
    Object &object = objects_[handle];
    if (!object.makers.empty())
        object.makers.pop_back();
    else
        object.is_seen = false;
    if (object.makers.empty() && !object.is_seen)
        object.freed = position;
}

void Handles::seen(const Handle &handle)
{
    std::lock_guard<std::mutex> guard(lock_);
    Object &object = objects_[handle];
    object.is_seen = true;
    object.freed.reset();
}

void Handles::forget(const Handle &handle)
{
    std::lock_guard<std::mutex> guard(lock_);
    objects_.erase(handle);
}

bool Handles::is_live(const Handle &handle) const
{
    std::lock_guard<std::mutex> guard(lock_);
    const auto found = objects_.find(handle);
    return found != objects_.end() && (!found->second.makers.empty() || found->second.is_seen);
}

Handles::Known Handles::known_of(const Handle &handle) const
{
    std::lock_guard<std::mutex> guard(lock_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? Known() : Known{true, found->second.freed};
}

std::vector<Range::Block> Range::blocks() const
{
    if (type == nullptr)
        return {{begin, end}};
    const std::vector<std::int64_t> &once = type->blocks();
    std::vector<Block> blocks;
    for (MPI_Count i = 0; i < count; i++) {
        const auto start = address + static_cast<std::uintptr_t>(i * type->extent);
        for (std::size_t j = 0; j < once.size(); j += 2) {
            const auto first = start + static_cast<std::uintptr_t>(once[j]);
            blocks.emplace_back(first, first + static_cast<std::uintptr_t>(once[j + 1]));
        }
    }
    std::sort(blocks.begin(), blocks.end());
    return blocks;
}

namespace {

/* Some of the data may be in the same memory, and one of the two operations writes. */
bool may_conflict(const Range &a, const Range &b)
{
    return (a.is_written || b.is_written) && a.end > b.begin && b.end > a.begin;
}

bool have_gaps(const Range &a, const Range &b)
{
    return a.type != nullptr || b.type != nullptr;
}

bool have_common_block(const Range &a, const Range &b)
{
    const auto blocks = a.blocks(), others = b.blocks();
    auto other = others.begin();
    for (const Range::Block &block : blocks) {
        while (other != others.end() && other->second <= block.first)
            ++other;
        if (other != others.end() && other->first < block.second)
            return true;
    }
    return false;
}

}  // namespace

bool conflict(const Range &a, const Range &b)
{
    return may_conflict(a, b) && (!have_gaps(a, b) || have_common_block(a, b));
}

std::optional<Position> PendingMemory::conflict(const Range &range) const
{
    std::vector<Use> candidates; /* blocks are compared without the lock */
    {
        std::lock_guard<SpinLock> guard(lock_);
        for (const Memory *memory : {&written_, &read_}) {
            if (memory == &read_ && !range.is_written)
                continue;
            const std::uintptr_t from =
                range.begin > memory->longest ? range.begin - memory->longest : 0;
            for (auto i = memory->uses.lower_bound({from, 0});
                 i != memory->uses.end() && i->first.first < range.end; ++i) {
                const Use &use = i->second;
                if (!may_conflict(use.range, range))
                    continue;
                if (!have_gaps(use.range, range))
                    return use.position;
                candidates.push_back(use);
            }
        }
    }
    for (const Use &use : candidates) {
        if (have_common_block(use.range, range))
            return use.position;
    }
    return std::nullopt;
}

void PendingMemory::add(Key key, const Ranges &ranges, const Position &position)
{
    std::lock_guard<SpinLock> guard(lock_);
    for (const Range &range : ranges) {
        Memory &memory = memory_of(range);
        memory.longest = std::max(memory.longest, range.end - range.begin);
        if (unused_.empty()) {
            memory.uses.insert({{range.begin, key}, {range, position}});
            continue;
        }
        Uses::node_type use = std::move(unused_.back());
        unused_.pop_back();
        use.key() = {range.begin, key};
        use.mapped() = {range, position};
        memory.uses.insert(std::move(use));
    }
}

void PendingMemory::remove(Key key, const Ranges &ranges)
{
    std::lock_guard<SpinLock> guard(lock_);
    for (const Range &range : ranges) {
        Memory &memory = memory_of(range);
        auto [i, last] = memory.uses.equal_range({range.begin, key});
        while (i != last) {
            unused_.push_back(memory.uses.extract(i++));
            unused_.back().mapped().range.type.reset();
        }
        if (memory.uses.empty())
            memory.longest = 0;
    }
}

void Windows::made(MPI_Win window)
{
    std::lock_guard<std::mutex> guard(lock_);
    windows_[window] = {};
}

void Windows::freed(MPI_Win window)
{
    std::lock_guard<std::mutex> guard(lock_);
    windows_.erase(window);
}

std::optional<Position> Windows::access(MPI_Win window, int target, MPI_Aint displacement,
                                        AccessEvent::Kind kind, const Position &position)
{
    std::optional<Position> conflict;
    change(window, [&](State &state) {
        const std::pair<int, MPI_Aint> place{target, displacement};
        const auto compare = [&](const Accesses &accesses) {
            const auto found = accesses.find(place);
            if (found != accesses.end() && !may_overlap(found->second.kind, kind))
                conflict = found->second.position;
        };
        compare(state.others);
        compare(state.puts);
        (kind == AccessEvent::Kind::put ? state.puts : state.others)
            .insert({place, {kind, position}});
    });
    return conflict;
}

void Windows::forget(Accesses &accesses, int target)
{
    constexpr auto lowest = std::numeric_limits<MPI_Aint>::min();
    if (target == MPI_ANY_SOURCE)
        accesses.clear();
    else
        accesses.erase(accesses.lower_bound({target, lowest}),
                       accesses.lower_bound({target + 1, lowest}));
}

void Windows::synchronized(MPI_Win window, int target, bool is_at_target)
{
    change(window, [&](State &state) {
        forget(state.others, target);
        if (is_at_target)
            forget(state.puts, target);
    });
}

void Windows::fenced(MPI_Win window, int assertion)
{
    change(window, [&](State &state) {
        state.is_fenced = !(assertion & MPI_MODE_NOSUCCEED);
        state.is_fence_used = false;
    });
}

void Windows::started(MPI_Win window, std::vector<int> targets)
{
    change(window, [&](State &state) {
        state.is_started = true;
        state.targets = std::move(targets);
    });
}

void Windows::completed(MPI_Win window)
{
    change(window, [](State &state) {
        state.is_started = false;
        state.targets.clear();
    });
}

bool Windows::is_in_started(MPI_Win window, int target) const
{
    std::lock_guard<std::mutex> guard(lock_);
    const auto found = windows_.find(window);
    if (found == windows_.end() || !found->second.is_started)
        return true;
    const std::vector<int> &targets = found->second.targets;
    const auto has = [&targets](int rank) {
        return std::find(targets.begin(), targets.end(), rank) != targets.end();
    };
    return has(target) || has(MPI_UNDEFINED);
}

void Windows::exposed(MPI_Win window, bool is_begin)
{
    change(window, [&](State &state) { state.is_exposed = is_begin; });
}

void Windows::locked(MPI_Win window, int target, bool is_begin)
{
    change(window, [&](State &state) {
        if (is_begin)
            state.locked.insert(target);
        else
            state.locked.erase(target);
    });
}

void Windows::locked_all(MPI_Win window, bool is_begin)
{
    change(window, [&](State &state) { state.is_locked_all = is_begin; });
}

bool Windows::may_access(MPI_Win window, int target) const
{
    std::lock_guard<std::mutex> guard(lock_);
    const auto found = windows_.find(window);
    if (found == windows_.end())
        return true;
    const State &state = found->second;
    return state.is_fenced || state.is_started || state.is_locked(target);
}

bool Windows::is_locked(MPI_Win window, int target) const
{
    std::lock_guard<std::mutex> guard(lock_);
    const auto found = windows_.find(window);
    return found == windows_.end() || found->second.is_locked(target);
}

std::string Windows::State::fault_of_begin(int function, int target) const
{
    if (is_fence_used)
        return "begins inside the access epoch of a fence";
    if (is_started)
        return "begins inside the access epoch of MPI_Win_start";
    if (is_locked_all)
        return "begins inside the access epoch of MPI_Win_lock_all";
    if (function == MPI_WIN_LOCK_T)
        return locked.count(target) > 0 ? "the target is already locked" : "";
    return locked.empty() ? "" : "begins inside the access epoch of MPI_Win_lock";
}

std::string Windows::State::fault_of_use(int function, int target) const
{
    switch (function) {
    case MPI_WIN_FENCE_T:
        return is_other_open() ? "a fence inside another access epoch" : "";
    case MPI_WIN_UNLOCK_T:
        return locked.count(target) > 0 ? "" : "the target is not locked";
    case MPI_WIN_UNLOCK_ALL_T:
        return is_locked_all ? "" : "not inside an access epoch of MPI_Win_lock_all";
    case MPI_WIN_FLUSH_T:
    case MPI_WIN_FLUSH_ALL_T:
    case MPI_WIN_FLUSH_LOCAL_T:
    case MPI_WIN_FLUSH_LOCAL_ALL_T:
        return is_any_locked() ? "" : "not inside an access epoch of a lock";
    case MPI_WIN_COMPLETE_T:
        return is_started ? "" : "not inside an access epoch of MPI_Win_start";
    case MPI_WIN_POST_T:
        return is_exposed ? "begins inside another exposure epoch" : "";
    case MPI_WIN_WAIT_T:
    case MPI_WIN_TEST_T:
        return is_exposed ? "" : "not inside an exposure epoch of MPI_Win_post";
    case MPI_WIN_FREE_T:
        return is_other_open() || is_fence_used ? "the window still has an open access epoch"
            : is_exposed                        ? "the window still has an open exposure epoch"
                                                : "";
    default:
        return "";
    }
}

std::string Windows::fault(MPI_Win window, int function, int target) const
{
    std::lock_guard<std::mutex> guard(lock_);
    const auto found = windows_.find(window);
    if (found == windows_.end())
        return "";
    const State &state = found->second;
    const bool is_begin =
        function == MPI_WIN_LOCK_T || function == MPI_WIN_LOCK_ALL_T || function == MPI_WIN_START_T;
    return is_begin ? state.fault_of_begin(function, target) : state.fault_of_use(function, target);
}

bool Windows::is_fence_used(MPI_Win window) const
{
    std::lock_guard<std::mutex> guard(lock_);
    const auto found = windows_.find(window);
    return found != windows_.end() && found->second.is_fence_used;
}

void Windows::accessed(MPI_Win window)
{
    change(window, [](State &state) {
        state.is_fence_used = state.is_fence_used || (state.is_fenced && !state.is_other_open());
    });
}

}  // namespace qmpi::check
