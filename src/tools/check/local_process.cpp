/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "local_process.hpp"

#include "../common/merge.hpp"
#include "../common/process.hpp"
#include "../common/report.hpp"

#include <algorithm>

namespace qmpi::check {

LocalProcess::LocalProcess(Findings &findings, Recorder &recorder)
    : findings_(findings), recorder_(recorder),
      sites_([this](std::uint32_t number, const CodeLocation &location) {
          report(Event::site, SiteEvent{number, location.module, location.offset}, false);
      })
{
}

/* ---- findings and call sites ---- */

void LocalProcess::found(Kind kind, const Position &position, const std::string &text,
                         const std::vector<Position> &others)
{
    if (!wants(kind))
        return;
    const Finding found = finding(kind, position, text, others);
    recorder_.found(found);
    const FoundEvent event{static_cast<std::uint8_t>(kind), position, text, others};
    if (!report(Event::found, event, true))
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

bool LocalProcess::connect(const qmpi::world &world, const Address &address)
{
    const bool are_all_up =
        all_of(world.comm(), address.port != 0 && client_.connect(address, rank_));
    if (!are_all_up) {
        client_.end();
        distrust("no connection to rank 0");
    }
    int level = MPI_THREAD_SINGLE;
    QMPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE)
        report(Event::threads, false);
    sites_.each([this](std::uint32_t number, const CodeLocation &location) {
        report(Event::site, SiteEvent{number, location.module, location.offset}, false);
    });
    return are_all_up;
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

void LocalProcess::omit_access()
{
    if (!has_omitted_access_.exchange(true))
        recorder_.omitted(
            {rank_, omitted_accesses, std::string("the process used ") + order_lost_by_.load()});
}

SharedCommunicator LocalProcess::communicator(MPI_Comm comm)
{
    if (rank_ < 0)
        return nullptr;
    if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF ||
        handles.is_live({qmpi::role::communicator, qmpi::handle_value(comm)}))
        return communicators.of(comm);
    return nullptr;
}

bool LocalProcess::is_comparable(const SharedCommunicator &communicator)
{
    note_thread();
    if (communicator == nullptr || is_distrusted_)
        return false;
    if (!is_connected()) {
        distrust("no connection to rank 0");
        return false;
    }
    for (const std::vector<int> *group : {&communicator->world, &communicator->remote}) {
        for (const int rank : *group) {
            const bool is_outside = rank == outside_world;
            if (is_outside || !is_in_world_[static_cast<std::size_t>(rank)]) {
                exclude(*communicator,
                        is_outside ? "it has processes outside of MPI_COMM_WORLD"
                                   : "it has processes without this tool");
                return false;
            }
        }
    }
    return true;
}

/* The order of calls of several threads is unknown. */
void LocalProcess::note_thread()
{
    static thread_local char own;
    char *first = nullptr;
    if (!first_thread_.compare_exchange_strong(first, &own) && first != &own)
        distrust("a second thread communicates");
}

}  // namespace qmpi::check
