/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "window_events.hpp"

#include <utility>

namespace qmpi::check {
namespace {

constexpr std::size_t most_blocks = 1024;
constexpr MPI_Count most_bytes = 1 << 20; /* of a datatype with gaps */

/* Marks the bytes that a datatype has data in: it is unpacked over zeros. */
std::vector<std::int64_t> blocks_of(MPI_Datatype datatype)
{
    MPI_Count size = 0, begin = 0, extent = 0;
    if (QMPI_Type_size_x(datatype, &size) != MPI_SUCCESS ||
        QMPI_Type_get_true_extent_x(datatype, &begin, &extent) != MPI_SUCCESS || size <= 0 ||
        extent <= 0 || size > most_bytes || extent > most_bytes)
        return {};
    std::vector<char> marks(static_cast<std::size_t>(extent));
    const std::vector<char> packed(static_cast<std::size_t>(size), 1);
    int position = 0;
    if (QMPI_Unpack(packed.data(), static_cast<int>(size), &position, marks.data() - begin, 1,
                    datatype, MPI_COMM_SELF) != MPI_SUCCESS)
        return {};
    std::vector<std::int64_t> blocks;
    for (MPI_Count i = 0; i < extent; i++) {
        if (!marks[static_cast<std::size_t>(i)])
            continue;
        if (blocks.empty() || blocks[blocks.size() - 2] + blocks.back() != begin + i) {
            blocks.push_back(begin + i);
            blocks.push_back(0);
        }
        blocks.back()++;
    }
    return blocks;
}

}  // namespace

std::vector<std::int64_t> WindowEvents::blocks(MPI_Count count, MPI_Datatype datatype)
{
    const Types::Shared type = count > 0 ? process_.types.of(datatype) : nullptr;
    if (type == nullptr || type->size == 0)
        return {};
    if (type->is_contiguous)
        return {type->first, count * static_cast<MPI_Count>(type->size)};
    const std::vector<std::int64_t> &once = type->blocks([&] { return blocks_of(datatype); });
    if (once.empty() || static_cast<std::size_t>(count) > most_blocks / once.size())
        return {};
    std::vector<std::int64_t> all;
    for (MPI_Count i = 0; i < count; i++) {
        for (std::size_t j = 0; j < once.size(); j += 2) {
            all.push_back(once[j] + i * type->extent);
            all.push_back(once[j + 1]);
        }
    }
    return all;
}

void WindowEvents::made(MPI_Win window, MPI_Comm comm)
{
    State state;
    state.communicator = process_.communicator(comm);
    if (!process_.is_comparable(state.communicator))
        return;
    int *unit = nullptr, is_set = 0;
    if (QMPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, &unit, &is_set) != MPI_SUCCESS || !is_set)
        return;
    const std::lock_guard<std::mutex> guard(lock_);
    state.id = (state.communicator->id + ++numbers_[state.communicator->id]) * 0x9e3779b97f4a7c15u;
    process_.report(Event::window, WindowEvent{state.id, *unit}, false);
    windows_[window] = std::move(state);
}

void WindowEvents::fence(MPI_Win window, int assertion, const Position &position)
{
    const bool waits = (assertion & MPI_MODE_NOPRECEDE) == 0;
    with(window, [&](State &state) {
        process_.report(
            Event::fence,
            FenceEvent{position, state.id, state.fences++, state.communicator->size, waits, false},
            false);
    });
}

void WindowEvents::free(MPI_Win window, const Position &position)
{
    with(window, [&](State &state) {
        process_.report(
            Event::fence,
            FenceEvent{position, state.id, state.fences, state.communicator->size, true, true},
            false);
    });
    const std::lock_guard<std::mutex> guard(lock_);
    windows_.erase(window);
}

void WindowEvents::locked(MPI_Win window, int target, bool is_exclusive)
{
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
    with(window, [&](State &state) {
        process_.report(
            Event::accesses_complete,
            AccessesCompleteEvent{
                state.id, target < 0 ? -1 : state.communicator->world_rank_of(target), are_reads},
            false);
    });
}

void WindowEvents::started(MPI_Win window, bool is_begin)
{
    with(window, [&](State &state) { state.is_started = is_begin; });
}

void WindowEvents::access(MPI_Win window, int target, AccessEvent::Kind kind, MPI_Aint displacement,
                          MPI_Count count, MPI_Datatype datatype, const Position &position)
{
    with(window, [&](State &state) {
        const bool is_locked = state.shared.count(target) > 0 || state.shared.count(-1) > 0;
        const bool is_shared = is_locked && process_.is_order_known();
        if (is_locked && !is_shared)
            process_.omit_access();
        const bool is_fenced =
            !is_locked && state.exclusive.empty() && !state.is_started && state.fences > 0;
        AccessEvent event;
        event.target = state.communicator->world_rank_of(target);
        if ((!is_shared && !is_fenced) || event.target == outside_world)
            return;
        event.position = position;
        event.window = state.id;
        event.kind = kind;
        event.epoch = is_shared ? AccessEvent::Epoch::shared : AccessEvent::Epoch::fence;
        event.number = state.fences;
        event.displacement = displacement;
        event.blocks = blocks(count, datatype);
        if (!event.blocks.empty())
            process_.report(Event::access, std::move(event), false);
    });
}

}  // namespace qmpi::check
