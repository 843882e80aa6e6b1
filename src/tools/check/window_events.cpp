/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "window_events.hpp"

#include "../common/communicators.hpp"

#include <algorithm>
#include <utility>

namespace qmpi::check {
namespace {

constexpr std::size_t most_blocks = 512; /* of an access */

/* 0 if there are several, as in a pair. */
std::uint16_t basic_of(const Type &type)
{
    const bool has_one =
        !type.unit.empty() && std::all_of(type.unit.begin(), type.unit.end(), [&](const Run &run) {
            return run.basic == type.unit[0].basic && run.nature() != 'b';
        });
    return has_one ? type.unit[0].basic : 0;
}

}  // namespace

std::vector<std::int64_t> WindowEvents::blocks(const Type &type, MPI_Count count,
                                               MPI_Datatype datatype)
{
    if (type.is_contiguous)
        return {type.first, count * static_cast<MPI_Count>(type.size)};
    const std::vector<std::int64_t> &once =
        process_.blocks(type, datatype, count, most_blocks, omitted_blocks_of_accesses);
    if (once.empty())
        return {};
    std::vector<std::int64_t> all;
    for (MPI_Count i = 0; i < count; i++) {
        for (std::size_t j = 0; j < once.size(); j += 2) {
            all.push_back(once[j] + i * type.extent);
            all.push_back(once[j + 1]);
        }
    }
    return all;
}

void WindowEvents::made(MPI_Win window, MPI_Comm comm, bool has_size, bool has_info)
{
    State state;
    state.communicator = process_.communicator(comm);
    if (!process_.is_comparable(state.communicator))
        return process_.lose_order_of_all("a window that is not compared");
    int *unit = nullptr, is_set = 0;
    if (QMPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &unit, &is_set) != MPI_SUCCESS || !is_set)
        return;
    MPI_Aint *size = nullptr;
    if (has_size)
        QMPI_Win_get_attr(window, MPI_WIN_SIZE, &size, &is_set);
    const std::lock_guard<std::mutex> guard(lock_);
    const Communicator &communicator = *state.communicator;
    state.fences =
        CollectiveObject(Shared::window, communicator, numbers_[communicator.id]++, "a window");
    process_.report(Event::window, WindowEvent{state.id(), *unit, size != nullptr ? *size : -1},
                    false);
    state.has_info = has_info;
    windows_[window] = std::move(state);
}

void WindowEvents::changed_info(MPI_Win window)
{
    with(window, [](State &state) { state.has_info = true; });
}

void WindowEvents::use(MPI_Win window, Use::Kind kind, int target, const Position &position)
{
    with(window, [&](State &state) { process_.use_window({kind, state.id(), position, target}); });
}

Expected WindowEvents::synchronize(State &state, const Position &position, bool is_local,
                                   std::uint64_t agreed)
{
    Expected expected{Completion::start, state.communicator, state.fences.uses()};
    expected.made = state.id();
    expected.is_of_window = true;
    CollectiveEvent event = state.fences.next(position);
    event.is_local = is_local;
    event.agreed = agreed;
    if (event.size > 1)
        process_.report(Event::collective, std::move(event),
                        process_.waits_for_answer(Event::collective, position));
    return expected;
}

Expectations WindowEvents::fence(MPI_Win window, int assertion, const Position &position,
                                 std::uint64_t agreed)
{
    const bool is_local = (assertion & MPI_MODE_NOPRECEDE) != 0;
    return with(window, [&](State &state) {
        const Expectations expected{synchronize(state, position, is_local, agreed)};
        if ((assertion & MPI_MODE_NOPUT) != 0)
            process_.report(Event::no_puts, NoPutsEvent{position, state.id(), state.fences.uses()},
                            false);
        return expected;
    });
}

Expectations WindowEvents::free(MPI_Win window, const Position &position)
{
    Expectations expected = with(
        window, [&](State &state) { return Expectations{synchronize(state, position, false)}; });
    const std::lock_guard<std::mutex> guard(lock_);
    windows_.erase(window);
    return expected;
}

namespace {

/* Any of the processes, by rank in MPI_COMM_WORLD, may end the wait. */
Expectations synchronization(const SharedCommunicator &communicator, const std::vector<int> &ranks)
{
    Expectations expected;
    for (const int rank : ranks)
        expected.push_back({Completion::synchronized, communicator, 0, rank});
    return expected;
}

}  // namespace

Expectations WindowEvents::lock(MPI_Win window)
{
    return with(window, [](State &state) {
        return Expectations{{Completion::synchronized, state.communicator}};
    });
}

Expectations WindowEvents::start(MPI_Win window, MPI_Group targets)
{
    return with(window, [&](State &state) {
        return synchronization(state.communicator, process_.communicators.ranks_of(targets));
    });
}

Expectations WindowEvents::complete(MPI_Win window)
{
    return with(window,
                [](State &state) { return synchronization(state.communicator, state.started); });
}

Expectations WindowEvents::wait(MPI_Win window)
{
    return with(window, [](State &state) {
        return synchronization(state.communicator, std::exchange(state.exposed, {}));
    });
}

/* An exclusive lock orders processes with shared locks before and after it, too. */
void WindowEvents::locked(MPI_Win window, int target, bool is_exclusive)
{
    if (is_exclusive)
        process_.lose_order_of_all("MPI_LOCK_EXCLUSIVE");
    with(window,
         [&](State &state) { (is_exclusive ? state.exclusive : state.shared).insert(target); });
}

void WindowEvents::unlocked(MPI_Win window, int target)
{
    flushed(window, target, false);
    with(window, [&](State &state) {
        state.shared.erase(target);
        state.exclusive.erase(target);
    });
}

void WindowEvents::flushed(MPI_Win window, int target, bool are_reads)
{
    if (auto event = reads(window, target)) {
        event->are_reads = are_reads;
        process_.report(Event::accesses_complete, *event, false);
    }
}

std::optional<AccessesCompleteEvent> WindowEvents::reads(MPI_Win window, int target)
{
    return with(window, [&](State &state) {
        const int rank = target < 0 ? -1 : state.communicator->world_rank_of(target);
        return std::optional(AccessesCompleteEvent{state.id(), rank, true});
    });
}

void WindowEvents::started(MPI_Win window, MPI_Group targets)
{
    with(window, [&](State &state) {
        state.started = process_.communicators.ranks_of(targets);
        for (const int target : state.started)
            state.starts[target]++;
    });
}

void WindowEvents::completed(MPI_Win window)
{
    with(window, [&](State &state) { state.started.clear(); });
}

void WindowEvents::exposed(MPI_Win window, MPI_Group origins, int assertion,
                           const Position &position)
{
    with(window, [&](State &state) {
        state.exposed = process_.communicators.ranks_of(origins);
        process_.report(
            Event::exposure,
            ExposureEvent{position, state.id(), (assertion & MPI_MODE_NOPUT) == 0, state.exposed},
            false);
    });
}

bool WindowEvents::set_epoch(AccessEvent &event, const State &state, int target)
{
    if (state.exclusive.count(target) > 0) {
        event.epoch = AccessEvent::Epoch::exclusive;
        return true;
    }
    if (state.shared.count(target) > 0 || state.shared.count(-1) > 0) {
        event.epoch = AccessEvent::Epoch::shared;
        return true;
    }
    if (!state.started.empty()) {
        const bool is_target = std::find(state.started.begin(), state.started.end(),
                                         event.target) != state.started.end();
        event.epoch = AccessEvent::Epoch::started;
        event.number = is_target ? state.starts.at(event.target) - 1 : 0;
        return is_target;
    }
    event.epoch = AccessEvent::Epoch::fence;
    event.number = state.fences.uses();
    return state.exclusive.empty() && state.fences.uses() > 0;
}

void WindowEvents::access(MPI_Win window, int target, AccessEvent event, MPI_Count count,
                          MPI_Datatype datatype)
{
    with(window, [&](State &state) {
        event.target = state.communicator->world_rank_of(target);
        if (event.target == outside_world || !process_.is_ordered(state.id()) ||
            !set_epoch(event, state, target))
            return;
        const bool is_fetch = event.kind == AccessEvent::Kind::fetch;
        if (is_fetch && event.epoch == AccessEvent::Epoch::shared && process_.has_lost_order())
            return; /* one of many of a process that polls */
        const Types::Shared type = count > 0 ? process_.types.of(datatype) : nullptr;
        if (type == nullptr || type->size == 0)
            return;
        event.window = state.id();
        event.blocks = blocks(*type, count, datatype);
        /* Without blocks it is compared with no other, but may order others. */
        if (event.blocks.empty() && event.epoch != AccessEvent::Epoch::shared)
            return;
        if (is_fetch || event.kind == AccessEvent::Kind::accumulate)
            event.basic = basic_of(*type);
        if (state.has_info)
            event.operation = 0;
        const bool is_first = process_.waits_for_answer(Event::access, event.position);
        process_.report(Event::access, std::move(event), is_first);
    });
}

}  // namespace qmpi::check
