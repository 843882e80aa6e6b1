/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "threads.hpp"

#include <utility>

namespace qmpi::check {

namespace {

bool depends(const Use &a, const Use &b)
{
    using Kind = Use::Kind;
    if (a.object != b.object)
        return false;
    const bool concerns_epoch = a.kind == Kind::synchronization || b.kind == Kind::synchronization;
    if (a.kind != b.kind && !concerns_epoch)
        return false;
    const bool has_peer = a.peer == b.peer || a.peer == MPI_ANY_SOURCE || b.peer == MPI_ANY_SOURCE;
    const bool has_tag = a.tag == b.tag || a.tag == MPI_ANY_TAG || b.tag == MPI_ANY_TAG;
    return a.kind != Kind::access ? has_peer && has_tag : concerns_epoch && has_peer;
}

}  // namespace

bool Threads::begin()
{
    const std::lock_guard<std::mutex> guard(lock_);
    const std::thread::id own = std::this_thread::get_id();
    calls_[own];
    if (!first_)
        first_ = own;
    return *first_ != own && !std::exchange(are_several_, true);
}

void Threads::end()
{
    const std::lock_guard<std::mutex> guard(lock_);
    calls_.erase(std::this_thread::get_id());
    ended_++;
}

std::optional<Threads::Other> Threads::use(const Use &use)
{
    const std::lock_guard<std::mutex> guard(lock_);
    const auto own = calls_.find(std::this_thread::get_id());
    if (own == calls_.end())
        return std::nullopt;
    own->second.push_back({use, ended_});
    for (const auto &[thread, entered] : calls_) {
        for (const Entered &other : entered) {
            if (thread != own->first && depends(use, other.use)) {
                unordered_.insert(use.object);
                return Other{other.use.position, other.ended == ended_};
            }
        }
    }
    return std::nullopt;
}

bool Threads::is_ordered(std::uint64_t object)
{
    if (!is_multiple_)
        return true;
    const std::lock_guard<std::mutex> guard(lock_);
    return unordered_.count(object) == 0;
}

}  // namespace qmpi::check
