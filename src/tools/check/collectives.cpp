/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "collectives.hpp"

#include "functions.hpp"

#include "../common/movement.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace qmpi::check {

bool has_unmatched_messages(int function, int error_code)
{
    if (!ends_communicator(function) || !is_of_class(error_code, MPI_ERR_OTHER))
        return false;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    QMPI_Error_string(error_code, text, &length);
    return std::strstr(text, "unmatched message") != nullptr;
}

namespace {

/* Of both groups of an intercommunicator; 0 if it is not known. */
std::size_t number_of_members(const SharedCommunicator &communicator)
{
    return communicator == nullptr ? 0 : communicator->world.size() + communicator->remote.size();
}

}  // namespace

Collectives::Current::Current(const Position &position, SharedCommunicator communicator)
    : position(position), communicator(std::move(communicator))
{
    event.position = position;
}

Collectives::Current::~Current() = default;

void Collectives::begin(Current &current, bool is_persistent)
{
    operations_.check_own_overlaps(current.ranges, current.position);
    if (!is_persistent)
        operations_.check_overlaps(current.ranges, current.position);
    if (current.communicator != nullptr)
        current.event.sources = sources_of(current.event, *current.communicator);
    current.expected = is_persistent ? report(current.communicator, current.event)
                                     : report(current.communicator, std::move(current.event));
}

void Collectives::expect_leader(Current &current, int own, MPI_Comm peers, int other, int tag)
{
    if (current.communicator == nullptr || current.communicator->rank != own)
        return;
    const SharedCommunicator communicator = process_.communicator(peers);
    if (!process_.is_comparable(communicator))
        return;
    const int leader = communicator->world_rank_of(other);
    if (leader == outside_world || leader == process_.rank())
        return;
    process_.report(Event::joining, JoiningEvent{communicator->id, leader, tag}, false);
    current.leader = Expected{Completion::joining, communicator, 0, other, tag};
}

Blocked Collectives::wait(const Current &current)
{
    Expectations expected{current.expected};
    if (current.leader)
        expected.push_back(*current.leader);
    return Blocked(waiting_, {current.position, true, std::move(expected)});
}

/* The operation continues after the call. */
void Collectives::follow(Current &current, MPI_Request request, bool is_persistent)
{
    Pending pending;
    pending.position = current.position;
    pending.ranges = std::move(current.ranges);
    pending.communicator = current.communicator;
    if (is_persistent) {
        pending.collective = persistent(current);
        if (pending.collective == nullptr)
            pending.expected.emplace_back(); /* unknown peers */
        operations_.add_persistent(request, std::move(pending));
        return;
    }
    pending.expected.push_back(std::move(current.expected));
    operations_.add(request, std::move(pending));
}

std::shared_ptr<CollectiveObject> Collectives::persistent(const Current &current)
{
    if (current.expected.kind != Completion::start)
        return nullptr;
    const Communicator &communicator = *current.communicator;
    auto made = std::make_shared<CollectiveObject>(Shared::persistent_collective, communicator,
                                                   current.expected.number, communicator.name());
    made->follow(current.event);
    return made;
}

bool Collectives::is_alone(const SharedCommunicator &communicator, int function)
{
    return number_of_members(communicator) == 1 && function != MPI_INTERCOMM_CREATE_T &&
        !qmpi::set::processes.contains(function);
}

/* The failed operation concerns no other process, or all have agreed that the file cannot be opened. */
bool Collectives::keeps_order(const Current &current, int error_code)
{
    constexpr int of_files[] = {MPI_ERR_ACCESS,       MPI_ERR_BAD_FILE, MPI_ERR_FILE_EXISTS,
                                MPI_ERR_FILE_IN_USE,  MPI_ERR_IO,       MPI_ERR_NO_SPACE,
                                MPI_ERR_NO_SUCH_FILE, MPI_ERR_QUOTA,    MPI_ERR_READ_ONLY};
    const auto is_of = [error_code](int of) { return is_of_class(error_code, of); };
    return is_alone(current.communicator, current.position.function)
        ? !is_of(MPI_ERR_TRUNCATE)
        : current.position.function == MPI_FILE_OPEN_T &&
            std::any_of(std::begin(of_files), std::end(of_files), is_of);
}

void Collectives::end(const Current &current, int error_code)
{
    const bool is_unmatched = has_unmatched_messages(current.position.function, error_code);
    if (is_unmatched && process_.is_followed(current.communicator))
        process_.report(Event::unmatched, CommunicatorEvent{current.communicator->id, ""}, true);
    if (error_code != MPI_SUCCESS && !is_unmatched) {
        if (keeps_order(current, error_code))
            return;
        const bool is_compared = current.expected.kind == Completion::start;
        process_.failed(
            error_code,
            {current.position, is_compared ? current.expected.collective() : OperationKey{true}},
            is_compared);
    } else if (ends_communicator(current.position.function) && current.communicator != nullptr) {
        const std::lock_guard<std::mutex> guard(lock_);
        numbers_.erase(current.communicator->id);
    }
}

std::uint64_t Collectives::operation_of(MPI_Op op)
{
    if (origin_of(op) == Origin::library)
        return qmpi::handle_value(op);
    int commutes = 0;
    if (!process_.handles.is_live({qmpi::role::operation, qmpi::handle_value(op)}) ||
        QMPI_Op_commutative(op, &commutes) != MPI_SUCCESS)
        return 0;
    return commutes ? CollectiveEvent::commutative : CollectiveEvent::not_commutative;
}

std::uint64_t Collectives::agreed_group(MPI_Group group)
{
    const bool is_empty = group == MPI_GROUP_EMPTY;
    if (!is_empty && !process_.handles.is_live({qmpi::role::group, qmpi::handle_value(group)}))
        return 0;
    std::uint64_t hash = 1;
    AgreedGroup agreed;
    for (const int rank : process_.communicators.ranks_of(group)) {
        if (rank == outside_world)
            return 0;
        hash = add_to_hash(hash, static_cast<std::uint64_t>(rank));
        agreed.lowest = agreed.lowest < 0 ? rank : std::min(agreed.lowest, rank);
        agreed.highest = std::max(agreed.highest, rank);
    }
    agreed.hash = hash >> 40 | 1;
    return agreed.packed();
}

void Collectives::follow_file(const Current &current, MPI_File file, const std::string &name)
{
    const std::lock_guard<std::mutex> guard(lock_);
    files_.erase(file); /* the handle may be that of a file that was closed in an unfollowed call */
    if (current.expected.kind != Completion::start || number_of_members(current.communicator) < 2)
        return;
    const std::string text = "the file " + name.substr(name.rfind('/') + 1);
    files_[file] = {
        current.communicator,
        CollectiveObject(Shared::file, *current.communicator, current.expected.number, text), text};
}

void Collectives::use_file(MPI_File file, const Position &position, std::uint64_t agreed)
{
    CollectiveEvent event;
    {
        const std::lock_guard<std::mutex> guard(lock_);
        const auto found = files_.find(file);
        if (found == files_.end())
            return;
        File &own = found->second;
        const std::uint64_t id = own.uses.id();
        const bool was_ordered = process_.is_ordered(id);
        if (was_ordered && !process_.use_object({Use::Kind::collective, id, position}))
            process_.report(Event::exclude, CommunicatorEvent{id, own.name}, true);
        const bool is_compared =
            process_.is_ordered(id) && process_.is_comparable(own.communicator);
        if (is_compared)
            event = own.uses.next(position);
        if (position.function == MPI_FILE_CLOSE_T)
            files_.erase(found);
        if (!is_compared)
            return;
    }
    event.agreed = agreed;
    event.is_started = false; /* orders nothing */
    process_.report(Event::collective, std::move(event),
                    process_.waits_for_answer(Event::collective, position));
}

void Collectives::join(MPI_Comm made, int function, const Here &here)
{
    const SharedCommunicator communicator = process_.communicators.of(made);
    if (communicator == nullptr)
        return;
    CollectiveEvent event;
    event.position = process_.position(here);
    event.position.function = function;
    report(communicator, std::move(event));
}

Expected Collectives::report(const SharedCommunicator &communicator, CollectiveEvent event)
{
    Expected expected;
    const std::size_t size = number_of_members(communicator);
    if (size > 1) /* else the order of several threads is that of all processes */
        process_.use(communicator, {Use::Kind::collective, 0, event.position});
    if (!process_.is_followed(communicator))
        return expected;
    expected.is_of_neighbours = qmpi::set::neighbourhood.contains(event.position.function);
    event.is_started = qmpi::form_of(event.position.function) != qmpi::form::persistent;
    event.communicator = communicator->id;
    event.size = static_cast<int>(size);
    {
        std::lock_guard<std::mutex> guard(lock_);
        event.number = numbers_[communicator->id]++;
    }
    if (event.number == 0)
        set_members(event, *communicator, communicator->name());
    expected.kind = Completion::start;
    expected.communicator = communicator;
    expected.number = event.number;
    if (event.size > 1) {
        const bool wants_answer = process_.waits_for_answer(Event::collective, event.position);
        process_.report(Event::collective, std::move(event), wants_answer);
    }
    return expected;
}

std::vector<int> Collectives::sources_of(const CollectiveEvent &event,
                                         const Communicator &communicator)
{
    const qmpi::operation operation = qmpi::operation_of(event.position.function);
    const bool is_of_neighbours = qmpi::set::neighbourhood.contains(event.position.function);
    const Side &received = event.received;
    const auto is_empty = [](const Signature &block) {
        return block.is_known && block.bytes() == 0;
    };
    const bool gets_nothing = event.root == MPI_PROC_NULL || is_empty(event.same);

    if ((operation != qmpi::operation::barrier && !qmpi::movement::is_collective_data(operation)) ||
        (!is_of_neighbours && !communicator.is_inter && !gets_nothing &&
         std::none_of(received.blocks.begin(), received.blocks.end(), is_empty)))
        return {};
    std::vector<int> sources{communicator.own_world_rank()};
    if (gets_nothing)
        return sources;
    const std::vector<int> ranks = world_ranks(communicator);
    const auto add = [&](int rank) {
        const Signature *block = received.block(rank);
        if (rank >= received.begin && rank < received.end &&
            (block == nullptr || !is_empty(*block)))
            sources.push_back(ranks[static_cast<std::size_t>(rank)]);
    };
    if (is_of_neighbours) {
        for (const int source : communicator.sources) {
            if (source != MPI_PROC_NULL)
                add(source);
        }
    } else {
        const Participants participants(communicator, MPI_UNDEFINED);
        for (int i = 0; i < participants.peers; i++)
            add(participants.first_peer + i);
    }
    return sources;
}

void Collectives::restrict_to(const std::vector<int> &ranks, Side &side)
{
    const bool is_uniform = side.blocks.size() == 1;
    std::map<int, const Signature *> blocks; /* null: several different ones */
    for (std::size_t i = 0; i < ranks.size(); i++) {
        const Signature &block = side.blocks[is_uniform ? 0 : i];
        const auto [known, is_new] = blocks.emplace(ranks[i], &block);
        if (!is_new && known->second != nullptr &&
            compare(*known->second, block) != Comparison::equal)
            known->second = nullptr;
    }
    blocks.erase(MPI_PROC_NULL);
    Side restricted;
    for (const auto &[rank, block] : blocks) {
        if (block == nullptr)
            continue;
        restricted.neighbours.push_back(rank);
        if (!is_uniform || restricted.blocks.empty())
            restricted.blocks.push_back(*block);
    }
    side = std::move(restricted);
}

void Collectives::add_block(Side &side, MPI_Datatype datatype, MPI_Count count)
{
    side.blocks.push_back(process_.types.signature(datatype, count));
}

}  // namespace qmpi::check
