/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "local_process.hpp"

#include "../common/process.hpp"

#include <algorithm>

namespace tools::check {

LocalProcess::LocalProcess(Findings &findings)
    : findings_(findings), sites_([this](std::uint32_t number, const std::string &text) {
          report(Event::site, SiteEvent{number, text}, false);
      })
{
}

/* ---- findings and call sites ---- */

void LocalProcess::found(Kind kind, const Position &position, const std::string &text)
{
    if (!wants(kind))
        return;
    if (is_connected())
        report(Event::found, FoundEvent{static_cast<std::uint8_t>(kind), position, text}, true);
    else
        found_alone(kind, position, text);
}

void LocalProcess::found_alone(Kind kind, const Position &position, const std::string &text)
{
    findings_.add(
        {kind, rank_, function_name(position.function), sites_.text(position.site), text});
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
    return std::string(function_name(position.function)) + " at " + sites_.text(position.site);
}

/* ---- the analyser ---- */

void LocalProcess::enter_world()
{
    QMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
}

bool LocalProcess::connect(const Address &address)
{
    int is_up = address.port != 0 && client_.connect(address, rank_), are_all_up = 0;
    QMPI_Allreduce(&is_up, &are_all_up, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!are_all_up)
        is_distrusted_ = true;
    sites_.each([this](std::uint32_t number, const std::string &text) {
        report(Event::site, SiteEvent{number, text}, false);
    });
    return are_all_up != 0;
}

/* ---- comparability ---- */

void LocalProcess::distrust()
{
    if (!is_distrusted_.exchange(true))
        report(Event::distrust, true);
}

SharedCommunicator LocalProcess::communicator(MPI_Comm comm)
{
    if (rank_ < 0)
        return nullptr;
    if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF ||
        handles.is_live({qmpi::role::communicator, static_cast<unsigned>(comm)}))
        return communicators.of(comm);
    return nullptr;
}

bool LocalProcess::is_comparable(const SharedCommunicator &communicator)
{
    note_thread();
    if (communicator == nullptr || is_distrusted_ || !is_connected())
        return false;
    for (const std::vector<int> *group : {&communicator->world, &communicator->remote}) {
        if (std::find(group->begin(), group->end(), outside_world) != group->end())
            return false;
    }
    return true;
}

/* The order of calls of several threads is unknown. */
void LocalProcess::note_thread()
{
    static thread_local char own;
    char *first = nullptr;
    if (!first_thread_.compare_exchange_strong(first, &own) && first != &own)
        distrust();
}

}  // namespace tools::check
