/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "one_sided.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace qmpi::check {

void Origins::add(MPI_Win window, int target, Pending &pending, Operations &operations)
{
    if (pending.ranges.empty())
        return;
    const std::lock_guard<std::mutex> guard(lock_);
    auto &own = uses_[window];
    if (own.size() == limit)
        return process_.omit(omitted_origins,
                             "more than " + std::to_string(limit) + " of a window at a time");
    operations.begin_use(pending);
    own.emplace_back(target, std::move(pending));
}

void Origins::end(MPI_Win window, int target, Operations &operations)
{
    operations.end_use(window, target);
    const std::lock_guard<std::mutex> guard(lock_);
    const auto found = uses_.find(window);
    if (found == uses_.end())
        return;
    auto &own = found->second;
    for (auto &[rank, pending] : own) {
        if (target == MPI_ANY_SOURCE || rank == target)
            operations.end_use(pending);
    }
    own.erase(std::remove_if(own.begin(), own.end(),
                             [target](const auto &use) {
                                 return target == MPI_ANY_SOURCE || use.first == target;
                             }),
              own.end());
}

namespace {

bool is_shared(MPI_Win window)
{
    int *flavour = nullptr, is_set = 0;
    return QMPI_Win_get_attr(window, MPI_WIN_CREATE_FLAVOR, &flavour, &is_set) == MPI_SUCCESS &&
        is_set && *flavour == MPI_WIN_FLAVOR_SHARED;
}

}  // namespace

void OneSided::made(MPI_Win window, MPI_Comm comm, bool is_dynamic, bool has_info)
{
    windows_.made(window);
    events_.made(window, comm, !is_dynamic, has_info);
    if (is_shared(window))
        process_.lose_order("MPI_Win_allocate_shared"); /* by what its members store */
}

/* The process may store to memory whose owner has no part in this call. */
void OneSided::lose_order_of_stores(MPI_Win window)
{
    if (!is_shared(window))
        process_.lose_order_of_all("MPI_Win_shared_query");
}

/* In MPI_COMM_WORLD or the job, as in all texts. */
std::string OneSided::rank_of(MPI_Win window, int target) const
{
    std::vector<int> ranks;
    MPI_Group group = MPI_GROUP_NULL;
    if (QMPI_Win_get_group(window, &group) == MPI_SUCCESS) {
        ranks = process_.communicators.ranks_of(group);
        QMPI_Group_free(&group);
    }
    const auto i = static_cast<std::size_t>(target);
    return i < ranks.size() && ranks[i] != outside_world
        ? "rank " + std::to_string(ranks[i])
        : "rank " + std::to_string(target) + " of the window's group";
}

std::vector<int> OneSided::ranks_in(MPI_Win window, MPI_Group group)
{
    int size = 0;
    MPI_Group all = MPI_GROUP_NULL;
    if (QMPI_Group_size(group, &size) != MPI_SUCCESS ||
        QMPI_Win_get_group(window, &all) != MPI_SUCCESS)
        return {MPI_UNDEFINED};
    std::vector<int> numbers(static_cast<std::size_t>(size)), ranks(numbers.size(), MPI_UNDEFINED);
    std::iota(numbers.begin(), numbers.end(), 0);
    QMPI_Group_translate_ranks(group, size, numbers.data(), all, ranks.data());
    QMPI_Group_free(&all);
    return ranks;
}

bool OneSided::has_epoch(MPI_Win window, int target, const Here &here)
{
    if (!windows_.is_in_started(window, target)) {
        process_.found(Kind::epoch, process_.position(here),
                       "access to " + rank_of(window, target) +
                           ", which is not in the group of MPI_Win_start");
        return false;
    }
    if (windows_.may_access(window, target))
        return true;
    process_.found(Kind::epoch, process_.position(here),
                   "access to " + rank_of(window, target) + " outside an epoch");
    return false;
}

void OneSided::check_request(MPI_Win window, int target, const Here &here)
{
    if (!windows_.is_locked(window, target))
        process_.found(Kind::epoch, process_.position(here),
                       "an operation with a request needs the access epoch of a lock");
}

void OneSided::check_epoch(MPI_Win window, int target, const Here &here)
{
    const std::string fault = windows_.fault(window, here.function, target);
    const bool names_target = fault.rfind("the target", 0) == 0;
    if (!fault.empty())
        process_.found(Kind::epoch, process_.position(here),
                       fault + (names_target ? ": " + rank_of(window, target) : ""));
}

void OneSided::check_fence(MPI_Win window, int assertion, const Here &here)
{
    if ((assertion & MPI_MODE_NOPRECEDE) != 0 && windows_.is_fence_used(window))
        process_.found(Kind::epoch, process_.position(here),
                       "MPI_MODE_NOPRECEDE, but the process has accessed the window since the last "
                       "fence");
}

void OneSided::compare(const Part &sent, const Part &received, const Here &here)
{
    if (sent.count <= 0 || received.count < 0 ||
        (sent.datatype == received.datatype && sent.count <= received.count))
        return;
    const Signature from = process_.types.signature(sent.datatype, sent.count),
                    to = process_.types.signature(received.datatype, received.count);
    const Comparison result = check::compare(from, to);
    if (result == Comparison::longer || result == Comparison::different)
        process_.found(result == Comparison::longer ? Kind::truncation : Kind::signature,
                       process_.position(here),
                       std::string(received.name) + " has " + to.text() + ", but " + sent.name +
                           " has " + from.text());
}

/* Data with gaps may interleave without overlap. */
void OneSided::note_access(const Access &access, MPI_Datatype datatype, const Position &position)
{
    const Types::Shared type = process_.types.of(datatype);
    if (type == nullptr || !type->is_contiguous || type->size == 0 || type->first != 0)
        return;
    if (const auto other = windows_.access(access.window, access.target, access.displacement,
                                           access.kind, position))
        process_.found(Kind::conflict, position,
                       "same displacement of " + rank_of(access.window, access.target) +
                           " already accessed in this epoch (" + process_.text(*other) + ")",
                       {*other});
}

}  // namespace qmpi::check
