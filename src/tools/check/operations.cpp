/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "operations.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <sys/uio.h>
#include <unistd.h>

namespace qmpi::check {
namespace {

constexpr const char *not_partitioned = "the request is not partitioned";

/* The memory may be unmapped. */
std::uint64_t checksum_of(const Ranges &ranges, std::uint64_t sum = 0)
{
    std::vector<char> copy(1 << 16);
    const auto add = [&](std::uintptr_t at, std::uintptr_t end) {
        for (; at < end; at += copy.size()) {
            iovec here{copy.data(), copy.size()};
            iovec there{reinterpret_cast<void *>(at), std::min<std::size_t>(copy.size(), end - at)};
            const ssize_t number = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
            for (ssize_t i = 0; i < number; i++)
                sum = (sum ^ static_cast<unsigned char>(copy[static_cast<std::size_t>(i)])) *
                    0x100000001b3u;
        }
    };
    /* MPI_Isendrecv_replace itself changes what it reads. */
    const auto is_replaced = [&](const Range &range) {
        return std::any_of(ranges.begin(), ranges.end(), [&](const Range &other) {
            return other.is_written && other.begin < range.end && range.begin < other.end;
        });
    };
    for (const Range &range : ranges) {
        if (range.is_written || is_replaced(range))
            continue;
        for (const Range::Block &block : range.blocks())
            add(block.first, block.second);
    }
    return sum;
}

}  // namespace

/* ---- requests ---- */

void Operations::add(MPI_Request request, Pending &&pending)
{
    pending.key = ++number_of_pending_;
    if (!shares_handle(request, pending))
        use_memory(pending);
    requests_.add(request, std::move(pending));
}

void Operations::add_persistent(MPI_Request request, Pending &&pending)
{
    pending.key = ++number_of_pending_;
    pending.is_active = false;
    requests_.add_persistent(request, std::move(pending));
}

/* The library uses one request handle for all operations that complete at once; so the buffer in
 * use is unknown. */
bool Operations::shares_handle(MPI_Request request, Pending &pending)
{
    return requests_.visit(request, [&](Pending &other) {
        messages_.share(pending, other);
        release(other, false);
        if (process_.wants(Kind::changed))
            process_.omit(omitted_shared_buffers, "they share one request");
    });
}

void Operations::start(Pending &pending, const Position &position)
{
    pending.is_active = true;
    pending.is_certain = pending.is_cancelled = false;
    if (pending.partitions != nullptr) {
        pending.is_awaited = false;
        pending.partitions->restart();
        pending.ranges = pending.partitions->used_at_start();
        messages_.report(Event::partitioned_started, *pending.partitions);
    }
    check_overlaps(pending.ranges, position, &pending.position);
    use_memory(pending);
    if (pending.send.exists || pending.receive.exists)
        messages_.begin(pending);
    else if (pending.collective != nullptr)
        messages_.begin(pending, *pending.collective);
}

void Operations::free(MPI_Request request, const Here &here)
{
    bool is_unfinished = false;
    Position maker;
    requests_.visit(request, [&](Pending &pending) {
        if (pending.collective != nullptr)
            process_.report(Event::freed, CommunicatorEvent{pending.collective->id(), {}}, false);
        if (pending.partitions != nullptr)
            messages_.report(Event::partitioned_freed, *pending.partitions);
        maker = pending.position;
        is_unfinished = pending.is_active && pending.partitions != nullptr &&
            !pending.partitions->have_arrived();
    });
    if (is_unfinished)
        report_fault("an active partitioned operation is freed", process_.position(here), maker);
}

void Operations::end(Pending &pending, const MPI_Status *status, Outcome outcome)
{
    if (!std::exchange(pending.is_active, false))
        return; /* by MPI_Request_get_status */
    release(pending, outcome == Outcome::completed);
    if (pending.reads && process_.is_connected())
        process_.report(Event::accesses_complete, *pending.reads, false);
    /* With this class the library has not said why it failed; the messages show it. */
    if (outcome == Outcome::failed && !qmpi::is_of_class(status->MPI_ERROR, MPI_ERR_IN_STATUS))
        messages_.failed(pending, status->MPI_ERROR);
    else if (outcome == Outcome::freed) {
        messages_.forgotten(pending);
    } else
        messages_.completed(pending, status);
}

void Operations::end_by_status(MPI_Request request, const MPI_Status &status)
{
    requests_.visit(request, [&](Pending &pending) {
        int is_cancelled = 0;
        if (pending.is_cancelled)
            QMPI_Test_cancelled(&status, &is_cancelled);
        if (pending.shared != nullptr)
            messages_.completed(*pending.shared);
        else if (pending.is_active)
            end(pending, &status, is_cancelled ? Outcome::cancelled : Outcome::completed);
    });
}

void Operations::cancel(MPI_Request request, const Here &here)
{
    bool is_send = false;
    std::string fault;
    Position maker;
    if (requests_.is_inactive(request))
        fault = "an inactive request is cancelled";
    const bool is_known = requests_.visit(request, [&](Pending &pending) {
        maker = pending.position;
        if (fault.empty() && pending.is_active && pending.partitions != nullptr)
            fault = "an active partitioned operation is cancelled";
        if (!fault.empty())
            return;
        pending.is_cancelled = true;
        is_send = pending.send.exists;
        if (pending.number != 0 && !process_.is_distrusted())
            process_.report(Event::cancelling,
                            OperationKey{false, pending.communicator->id, pending.number}, false);
    });
    if (!is_known && request != MPI_REQUEST_NULL && !requests_.is_empty()) /* else by go() */
        report_unknown(request, here);
    if (!fault.empty())
        report_fault(fault, process_.position(here), maker);
    /* Neither side knows whether the message will be received. */
    if (is_send)
        process_.distrust("a send was cancelled");
}

Expectations Operations::expected_by(const Position &position, const MPI_Request *requests,
                                     int number, bool needs_all)
{
    Expectations expected;
    for (int i = 0; requests != nullptr && i < number; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        const bool is_known = requests_.visit(requests[i], [&](Pending &pending) {
            if (!pending.is_active)
                return;
            if (needs_all)
                messages_.expect(pending, position);
            if (waits_for_ready(pending))
                expected.push_back({Completion::ready, pending.communicator,
                                    pending.partitions->left, MPI_ANY_SOURCE, MPI_ANY_TAG});
            else if (pending.shared == nullptr) /* else it is complete */
                for (const Expected &one : pending.expected)
                    expected.push_back(one);
        });
        if (!is_known)
            expected.emplace_back();
    }
    return expected;
}

/* Another thread could mark the rest. */
bool Operations::waits_for_ready(const Pending &pending) const
{
    return pending.partitions != nullptr && pending.partitions->are_sent &&
        pending.communicator != nullptr && !process_.is_multiple() && pending.partitions->left > 0;
}

void Operations::find_unfinished()
{
    messages_.find_unreceived();
    std::vector<std::pair<Position, bool>> left;
    requests_.each([&](MPI_Request, Pending &pending, bool is_active) {
        left.emplace_back(pending.position, is_active);
    });
    for (const auto &[position, is_active] : left)
        process_.found(is_active ? Kind::request : Kind::leak, position,
                       is_active ? "this operation was never completed"
                                 : "this persistent request was not freed");
}

/* ---- partitions ---- */

/* Partitions of a type with gaps may have too many blocks to follow. */
void Operations::add_ranges(Partitions &partitions, const Message &message)
{
    const Types::Shared type = process_.types.of(message.datatype);
    if (type == nullptr)
        return;
    const auto *address = static_cast<const char *>(message.address);
    const auto number = static_cast<MPI_Count>(partitions.are_done.size());
    const MPI_Count count = message.count / number;
    Ranges ranges;
    for (MPI_Count i = 0; i < number; i++) {
        Ranges one;
        add_range(one, address + i * count * type->extent, count, message.datatype,
                  !partitions.are_sent);
        if (one.empty())
            return;
        ranges.push_back(std::move(one[0]));
    }
    partitions.ranges = std::move(ranges);
}

/* Before the call, which may end the program. False if the argument is invalid. */
bool Operations::mark_ready(MPI_Request request, int number, const Position &position)
{
    std::string fault;
    Ranges used;
    Position maker;
    requests_.visit(request, [&](Pending &pending) {
        maker = pending.position;
        if (!pending.is_partitioned)
            fault = not_partitioned;
        if (pending.partitions == nullptr)
            return;
        Partitions &partitions = *pending.partitions;
        fault = partitions.fault_of_ready(number, pending.is_active);
        if (!fault.empty())
            return;
        partitions.finish(number);
        if (const Range *range = partitions.range_of(number)) {
            used.push_back(*range);
            pending.ranges.push_back(*range);
            memory_.add(pending.key, used, position);
            if (process_.wants(Kind::changed))
                pending.checksum = checksum_of(used, pending.checksum);
        }
        if (partitions.left == 0)
            messages_.report(Event::partitioned_ready, partitions);
    });
    if (fault.empty())
        check_overlaps(used, position, &maker);
    else
        report_fault(fault, position, maker);
    return fault.empty();
}

bool Operations::check_arrived(MPI_Request request, int number, const Here &here)
{
    std::string fault;
    Position maker;
    const bool is_known = requests_.visit(request, [&](Pending &pending) {
        maker = pending.position;
        if (!pending.is_partitioned)
            fault = not_partitioned;
        else if (pending.partitions != nullptr)
            fault = pending.partitions->are_sent ? "queries the arrival of a partition of a send"
                                                 : pending.partitions->fault_of(number);
    });
    if (!fault.empty())
        report_fault(fault, process_.position(here), maker);
    return is_known && fault.empty();
}

/* With several threads, another one may be in a call that completes the request. */
void Operations::report_unknown(MPI_Request request, const Here &here)
{
    if (!has_unknown_ && !process_.is_multiple() && has_type<qmpi::role::request>(request) &&
        !process_.handles.known_of({qmpi::role::request, qmpi::handle_value(request)}).freed)
        process_.found(Kind::argument, process_.position(here),
                       "the request is not that of an existing operation: it is complete, or never "
                       "existed");
}

void Operations::report_fault(const std::string &fault, const Position &position,
                              const Position &maker)
{
    process_.found(Kind::argument, position, fault + " (" + process_.text(maker) + ")", {maker});
}

/* The program may use its memory from now on. */
void Operations::mark_arrived(MPI_Request request, int number)
{
    requests_.visit(request, [&](Pending &pending) {
        if (pending.partitions == nullptr || !pending.is_active)
            return;
        Partitions &partitions = *pending.partitions;
        if (!partitions.finish(number))
            return;
        if (const Range *range = partitions.range_of(number))
            memory_.remove(pending.key, {*range});
        messages_.arrived(pending);
    });
}

/* ---- memory ---- */

void Operations::use_memory(Pending &pending)
{
    pending.uses_memory = true;
    memory_.add(pending.key, pending.ranges, pending.position);
    if (process_.wants(Kind::changed))
        pending.checksum = checksum_of(pending.ranges);
}

void Operations::add_range(Ranges &ranges, const void *address, MPI_Count count,
                           MPI_Datatype datatype, bool is_written)
{
    const Types::Shared type = count > 0 ? process_.types.of(datatype) : nullptr;
    if (type == nullptr || type->size == 0)
        return;
    Range range{0, 0, is_written, nullptr, reinterpret_cast<std::uintptr_t>(address), count};
    if (type->is_contiguous) {
        range.begin = range.address + static_cast<std::uintptr_t>(type->first);
        range.end = range.begin + static_cast<std::uintptr_t>(count) * type->size;
        if (!ranges.empty() && ranges.back().type == nullptr && ranges.back().end == range.begin &&
            ranges.back().is_written == is_written) {
            ranges.back().end = range.end;
            return;
        }
    } else {
        const std::vector<std::int64_t> &blocks =
            process_.blocks(*type, datatype, count, Range::most_blocks, omitted_blocks_of_buffers);
        if (blocks.empty())
            return;
        const MPI_Count last = (count - 1) * type->extent;
        range.begin =
            range.address + static_cast<std::uintptr_t>(blocks[0] + std::min<MPI_Count>(0, last));
        range.end = range.address +
            static_cast<std::uintptr_t>(blocks[blocks.size() - 2] + blocks.back() +
                                        std::max<MPI_Count>(0, last));
        range.type = type;
    }
    ranges.push_back(std::move(range));
}

void Operations::begin_use(Pending &pending)
{
    pending.key = ++number_of_pending_;
    use_memory(pending);
}

void Operations::end_use(Pending &pending)
{
    release(pending, true);
}

void Operations::end_use(MPI_Win window, int target)
{
    if (requests_.is_empty())
        return;
    requests_.each([&](MPI_Request, Pending &pending, bool) {
        if (pending.window == window && (target == MPI_ANY_SOURCE || pending.target == target))
            release(pending, true);
    });
}

/* The program may use the memory again. */
void Operations::release(Pending &pending, bool is_checked)
{
    if (!std::exchange(pending.uses_memory, false))
        return;
    memory_.remove(pending.key, pending.ranges);
    if (is_checked)
        check_unchanged(pending);
}

void Operations::check_unchanged(const Pending &pending)
{
    if (process_.wants(Kind::changed) && checksum_of(pending.ranges) != pending.checksum)
        process_.found(Kind::changed, pending.position,
                       "the buffer changed before the operation completed");
}

void Operations::check_overlaps(const Ranges &ranges, const Position &position,
                                const Position *maker)
{
    if (!process_.wants(Kind::overlap))
        return;
    for (const Range &range : ranges) {
        if (range.is_written && range.type != nullptr && range.type->overlaps_itself())
            process_.found(Kind::overlap, position,
                           "writes twice to the same memory: data of the datatype overlaps");
        if (const auto other = memory_.conflict(range))
            process_.found(Kind::overlap, position,
                           (maker != nullptr ? process_.text(*maker) + " " : "") +
                               (range.is_written ? "writes" : "reads") +
                               " memory that a pending operation uses (" + process_.text(*other) +
                               ")",
                           {*other});
    }
}

void Operations::check_own_overlaps(const Ranges &ranges, const Position &position)
{
    constexpr std::size_t most_neighbours = 64;
    if (ranges.size() < 2 || !process_.wants(Kind::overlap))
        return;
    std::vector<const Range *> sorted;
    for (const Range &range : ranges)
        sorted.push_back(&range);
    std::sort(sorted.begin(), sorted.end(),
              [](const Range *a, const Range *b) { return a->begin < b->begin; });
    for (std::size_t i = 0; i < sorted.size(); i++) {
        for (std::size_t j = i + 1; j < sorted.size() && sorted[j]->begin < sorted[i]->end; j++) {
            if (j - i > most_neighbours) {
                process_.omit(omitted_neighbours,
                              "a buffer shares its extent with more than " +
                                  std::to_string(most_neighbours) + " others");
                break;
            }
            if (!conflict(*sorted[i], *sorted[j]))
                continue;
            process_.found(Kind::overlap, position,
                           sorted[i]->is_written && sorted[j]->is_written
                               ? "receives twice into the same memory"
                               : "sends and receives in the same memory");
            return;
        }
    }
}

}  // namespace qmpi::check
