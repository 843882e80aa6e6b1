/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "local_process.hpp"

#include "../common/process.hpp"
#include "../common/report.hpp"
#include "../common/requests.hpp"

#include <algorithm>

namespace qmpi::check {

namespace {

constexpr const char *same_time = "several threads use it at the same time";

/* Of both groups of an intercommunicator */
template <typename Is>
bool any_member(const Communicator &communicator, Is is)
{
    return std::any_of(communicator.world.begin(), communicator.world.end(), is) ||
        std::any_of(communicator.remote.begin(), communicator.remote.end(), is);
}

}  // namespace

LocalProcess::LocalProcess(Findings &findings, Recorder &recorder, Sites &sites)
    : findings_(findings), recorder_(recorder), sites_(sites)
{
    sites.on_new([this](std::uint32_t number, const CodeLocation &location) {
        report(Event::site, SiteEvent{number, location.module, location.offset}, false);
    });
}

/* ---- findings and call sites ---- */

void LocalProcess::found(Kind kind, const Position &position, const std::string &text,
                         const std::vector<Position> &others)
{
    if (!wants(kind))
        return;
    const Finding found = finding(kind, position, text, others);
    const bool is_new = recorder_.found(found);
    const FoundEvent event{static_cast<std::uint8_t>(kind), position, text, others};
    if (!report(Event::found, event, is_new)) /* a new one is printed before the call */
        findings_.add(found);
}

void LocalProcess::found_at_exit(Kind kind, const Position &position, const std::string &text)
{
    if (is_connected())
        found(kind, position, text);
    else
        findings_.add(finding(kind, position, text, {}));
}

Finding LocalProcess::finding(Kind kind, const Position &position, const std::string &text,
                              const std::vector<Position> &others) const
{
    Finding made{kind, rank_, function_name(position.function), sites_.place(position.site), text,
                 {},   {}};
    for (const Position &other : others)
        made.others.push_back({rank_, function_name(other.function), sites_.place(other.site)});
    return made;
}

Position LocalProcess::position(const Here &here)
{
    void *address = nullptr;
    if (QMPI_Get_calling_address(here.context, &address) != MPI_SUCCESS)
        address = nullptr;
    return {here.function, sites_.number_of(address)};
}

std::string LocalProcess::text(const Position &position) const
{
    return call_text(function_name(position.function), sites_.place(position.site));
}

/* ---- the analyser ---- */

void LocalProcess::enter(const qmpi::world &world, int first)
{
    has_world_ = true;
    if (rank_ >= 0)
        return;
    first_ = first;
    size_ = world.program_size();
    communicators.count_from(first, [this](const std::string &other) { return first_of(other); });
    for (int i = 0; i < size_; i++)
        is_in_world_.push_back(world.has(i));
    rank_ = first + world.program_rank();
}

void LocalProcess::enter(const qmpi::job &job)
{
    size_ = job.size();
    communicators.count_from(0, [this](const std::string &other) { return first_of(other); });
    rank_ = job.rank();
}

void LocalProcess::introduce()
{
    if (!is_introduced_.exchange(true))
        client_.ask(Event::world, WorldEvent{own_world(), first_});
}

int LocalProcess::first_of(const std::string &world)
{
    const std::lock_guard<std::mutex> guard(worlds_lock_);
    const auto [known, is_new] = worlds_.emplace(world, -1);
    if (is_new)
        known->second = client_.ask(Event::world, WorldEvent{world, -1}).value_or(-1);
    return known->second;
}

void LocalProcess::begin(bool is_compared)
{
    if (!is_compared) {
        client_.disconnect();
        distrust("no connection to rank 0", false);
    }
    int level = MPI_THREAD_SINGLE;
    QMPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) {
        threads_.set_multiple();
        report(Event::multiple, false);
    }
    sites_.each([this](std::uint32_t number, const CodeLocation &location) {
        report(Event::site, SiteEvent{number, location.module, location.offset}, false);
    });
}

/* ---- comparability ---- */

void LocalProcess::distrust(std::string_view reason, bool is_printed)
{
    if (is_distrusted_.exchange(true))
        return;
    const std::string kept(reason);
    recorder_.distrusted(kept);
    if (is_printed && (size_ > 1 || first_ > 0))
        write_stderr("QMPI check: rank " + std::to_string(rank_) +
                     ": no longer compared with other processes: " + kept + "\n");
    report(Event::distrust, true);
}

void LocalProcess::failed(int error_code, const OperationEvent &event, bool is_compared)
{
    if (is_of_class(error_code, MPI_ERR_TRUNCATE) &&
        !(is_compared && report(Event::truncated, event, true)))
        found(kind_of_too_long(event.operation.is_collective), event.position, too_long);
    failed(event.position);
}

void LocalProcess::failed(const Position &position)
{
    if (!is_distrusted_)
        distrust("the operation of " + text(position) + " failed");
}

bool LocalProcess::exclude(const Communicator &communicator, const char *reason)
{
    {
        const std::lock_guard<std::mutex> guard(lock_);
        if (!excluded_.insert(communicator.id).second)
            return false;
    }
    const std::string name = communicator.name();
    recorder_.distrusted(reason, name.empty() ? "without a name" : name);
    return true;
}

void LocalProcess::omit(const char *what, const std::string &reason)
{
    {
        const std::lock_guard<std::mutex> guard(lock_);
        if (!omitted_.insert(what).second)
            return;
    }
    recorder_.omitted({rank_, what, reason});
}

const std::vector<std::int64_t> &LocalProcess::blocks(const Type &type, MPI_Datatype datatype,
                                                      MPI_Count count, std::size_t most,
                                                      const char *what)
{
    const std::vector<std::int64_t> &blocks = type.blocks(datatype);
    if (!blocks.empty() && static_cast<std::size_t>(count) <= most / (blocks.size() / 2))
        return blocks;
    omit(what, "more than " + std::to_string(most) + " blocks, or a type of more than 1 MB");
    return none_;
}

SharedCommunicator LocalProcess::communicator(MPI_Comm comm)
{
    const bool is_predefined = comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF;
    if (has_ended_ || (is_predefined && !has_world_) ||
        (!is_predefined && !handles.is_live({qmpi::role::communicator, qmpi::handle_value(comm)})))
        return nullptr;
    return communicators.of(comm);
}

bool LocalProcess::is_comparable(const SharedCommunicator &communicator)
{
    if (communicator == nullptr || rank_ < 0 || is_distrusted_ ||
        !threads_.is_ordered(communicator->id))
        return false;
    if (!is_connected()) {
        distrust("no connection to rank 0");
        return false;
    }
    return has_all_members(*communicator);
}

/* A thread remembers the last one that has. */
bool LocalProcess::has_all_members(const Communicator &communicator)
{
    struct Known {
        const LocalProcess *process;
        std::uint64_t communicator;
    };
    static thread_local Known known;
    if (known.process == this && known.communicator == communicator.id)
        return true;
    const bool is_outside =
        any_member(communicator, [](int rank) { return rank == outside_world; });
    if (is_outside || !are_present(communicator)) {
        exclude(communicator,
                is_outside ? "it has processes of a world that is not compared"
                           : "it has processes without this tool");
        return false;
    }
    known = {this, communicator.id};
    return true;
}

/* The analyser knows the processes without MPI_COMM_WORLD, and those of other worlds. */
bool LocalProcess::are_present(const Communicator &communicator)
{
    const auto number = [this](int rank) { return static_cast<std::size_t>(rank - first_); };
    const auto is_other = [&](int rank) { return number(rank) >= is_in_world_.size(); };
    if (!any_member(communicator, is_other))
        return !any_member(communicator, [&](int rank) { return !is_in_world_[number(rank)]; });
    {
        const std::lock_guard<std::mutex> guard(lock_);
        if (complete_.count(communicator.id) > 0)
            return true;
        if (excluded_.count(communicator.id) > 0)
            return false;
    }
    std::vector<int> ranks = communicator.world;
    ranks.insert(ranks.end(), communicator.remote.begin(), communicator.remote.end());
    const int size = static_cast<int>(ranks.size());
    if (client_.ask(Event::members, MembersEvent{size, Members::of(std::move(ranks))}) != 1)
        return false;
    const std::lock_guard<std::mutex> guard(lock_);
    complete_.insert(communicator.id);
    return true;
}

/* ---- threads ---- */

void LocalProcess::use(const SharedCommunicator &communicator, Use use)
{
    if (!is_multiple() || communicator == nullptr)
        return;
    use.object = communicator->id;
    const auto other = threads_.use(use);
    if (!other)
        return;
    if (use.kind == Use::Kind::collective && other->is_unordered)
        found(Kind::collective, use.position,
              "another thread is in a collective operation on the same communicator (" +
                  text(other->position) + ")",
              {other->position});
    if (exclude(*communicator, same_time))
        report(Event::exclude, CommunicatorEvent{communicator->id, communicator->name()}, true);
}

void LocalProcess::use_window(const Use &use)
{
    if (!is_multiple() || !threads_.use(use))
        return;
    omit("access conflicts of a window", same_time);
    lose_order_of_all("a window that several threads use at the same time");
}

}  // namespace qmpi::check
