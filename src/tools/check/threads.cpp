/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "threads.hpp"

namespace qmpi::check {

namespace {

/* The same for all instances of the tool. */
std::atomic<std::uint32_t> numbers{0};
thread_local std::optional<std::uint32_t> own_number;

bool depends(const Use &a, const Use &b)
{
    using Kind = Use::Kind;
    if (a.object != b.object)
        return false;
    const bool concerns_epoch = a.kind == Kind::synchronization || b.kind == Kind::synchronization;
    if (a.kind != b.kind && !concerns_epoch)
        return false;
    if (a.data != 0 && a.data == b.data && a.peer == b.peer && a.tag == b.tag &&
        a.peer != MPI_ANY_SOURCE && a.tag != MPI_ANY_TAG)
        return false;
    const bool has_peer = a.peer == b.peer || a.peer == MPI_ANY_SOURCE || b.peer == MPI_ANY_SOURCE;
    const bool has_tag = a.tag == b.tag || a.tag == MPI_ANY_TAG || b.tag == MPI_ANY_TAG;
    return a.kind != Kind::access ? has_peer && has_tag : concerns_epoch && has_peer;
}

}  // namespace

std::optional<std::uint32_t> Threads::number()
{
    return own_number;
}

void Threads::begin()
{
    if (!own_number)
        own_number = numbers++;
    const std::lock_guard<std::mutex> guard(lock_);
    calls_[std::this_thread::get_id()];
    if (*own_number > 0)
        are_several_ = true;
}

void Threads::end()
{
    const std::lock_guard<std::mutex> guard(lock_);
    calls_.erase(std::this_thread::get_id());
    ended_++;
}

bool Threads::are_others_calling()
{
    const std::lock_guard<std::mutex> guard(lock_);
    return calls_.size() > calls_.count(std::this_thread::get_id());
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
