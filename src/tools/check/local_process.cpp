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

void LocalProcess::found_alone(Kind kind, const Position &position, const std::string &text)
{
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
    if (MPI_Get_calling_address(here.context, &address) != MPI_SUCCESS)
        address = nullptr;
    return {here.function, sites_.number_of(address)};
}

std::string LocalProcess::text(const Position &position) const
{
    return call_text(function_name(position.function), sites_.place(position.site));
}

/* ---- the analyser ---- */

void LocalProcess::enter(const qmpi::world &world)
{
    rank_ = world.program_rank();
    for (int i = 0; i < world.program_size(); i++)
        is_in_world_.push_back(world.has(i));
}

void LocalProcess::begin(bool is_compared)
{
    if (!is_compared) {
        client_.disconnect();
        distrust("no connection to rank 0", false);
    }
    int level = MPI_THREAD_SINGLE;
    QMPI_Query_thread(&level);
    is_multiple_ = level == MPI_THREAD_MULTIPLE;
    if (is_multiple_)
        report(Event::threads, false);
    sites_.each([this](std::uint32_t number, const CodeLocation &location) {
        report(Event::site, SiteEvent{number, location.module, location.offset}, false);
    });
}

/* ---- comparability ---- */

void LocalProcess::distrust(const char *reason, bool is_printed)
{
    if (is_distrusted_.exchange(true))
        return;
    recorder_.distrusted(reason);
    if (is_printed && is_in_world_.size() > 1)
        write_stderr("QMPI check: rank " + std::to_string(rank_) +
                     ": no longer compared with other processes: " + reason + "\n");
    report(Event::distrust, true);
}

void LocalProcess::failed(int error_code, const OperationEvent &event, bool is_compared)
{
    if (is_of_class(error_code, MPI_ERR_TRUNCATE) &&
        !(is_compared && report(Event::truncated, event, true)))
        found(kind_of_too_long(event.operation.is_collective), event.position, too_long);
    distrust("a communication failed");
}

void LocalProcess::exclude(const Communicator &communicator, const char *reason)
{
    {
        const std::lock_guard<std::mutex> guard(lock_);
        if (!excluded_.insert(communicator.id).second)
            return;
    }
    const std::string name = communicator.name();
    recorder_.distrusted(reason, name.empty() ? "without a name" : name);
}

bool LocalProcess::is_first_omission(const char *what)
{
    const std::lock_guard<std::mutex> guard(lock_);
    return omitted_.insert(what).second;
}

const std::vector<std::int64_t> &LocalProcess::blocks(const Type &type, MPI_Datatype datatype,
                                                      MPI_Count count, std::size_t most,
                                                      const char *what)
{
    const std::vector<std::int64_t> &blocks = type.blocks(datatype);
    if (!blocks.empty() && static_cast<std::size_t>(count) <= most / (blocks.size() / 2))
        return blocks;
    if (is_first_omission(what))
        recorder_.omitted(
            {rank_, what,
             "more than " + std::to_string(most) + " blocks, or a type of more than 1 MB"});
    return none_;
}

SharedCommunicator LocalProcess::communicator(MPI_Comm comm)
{
    if (rank_ < 0 || has_ended_)
        return nullptr;
    if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF ||
        handles.is_live({qmpi::role::communicator, qmpi::handle_value(comm)}))
        return communicators.of(comm);
    return nullptr;
}

bool LocalProcess::is_comparable(const SharedCommunicator &communicator, bool is_last)
{
    if (communicator == nullptr || is_distrusted_ || !has_order(*communicator, is_last))
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
    for (const std::vector<int> *group : {&communicator.world, &communicator.remote}) {
        for (const int rank : *group) {
            const bool is_outside = rank == outside_world;
            if (is_outside || !is_in_world_[static_cast<std::size_t>(rank)]) {
                exclude(communicator,
                        is_outside ? "it has processes outside of MPI_COMM_WORLD"
                                   : "it has processes without this tool");
                return false;
            }
        }
    }
    known = {this, communicator.id};
    return true;
}

/* A thread keeps what it has found out about the last communicator. A new thread can have the address
 * of one that has ended, whose calls are all before its own. */
bool LocalProcess::has_order(const Communicator &communicator, bool is_last)
{
    if (!is_multiple_)
        return true;
    struct Known {
        const LocalProcess *process;
        std::uint64_t communicator, claims;
        bool has_order;
    };
    static thread_local Known known;
    const std::uint64_t claims = claims_.load(std::memory_order_acquire);
    if (known.process == this && known.communicator == communicator.id && known.claims == claims)
        return known.has_order;
    const bool has_order = claim(communicator.id, &known, is_last);
    if (!has_order && !is_last)
        exclude(communicator, "several threads communicate on it");
    known = {this, communicator.id, claims, has_order};
    return has_order;
}

bool LocalProcess::claim(std::uint64_t communicator, const void *thread, bool is_last)
{
    const std::lock_guard<std::mutex> guard(lock_);
    const auto [claimant, is_new] = claimants_.emplace(communicator, thread);
    if (is_new || claimant->second == thread)
        return true;
    if (std::exchange(claimant->second, nullptr) != nullptr) {
        claims_++;
        report(Event::exclude, ExcludeEvent{communicator, is_last}, true);
    }
    return false;
}

}  // namespace qmpi::check
