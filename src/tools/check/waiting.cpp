/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "waiting.hpp"

#include <utility>

namespace qmpi::check {

Wait wait_for(const Communicator &communicator, int peer, int tag, const char *what)
{
    const std::string name = communicator.name();
    Wait wait;
    wait.what = std::string(what) +
        (tag == MPI_ANY_TAG ? " with any tag" : " with tag " + std::to_string(tag));
    if (!name.empty())
        wait.what += " on " + name;
    if (peer == MPI_ANY_SOURCE) {
        wait.ranks = communicator.peers();
        if (!communicator.is_inter)
            wait.ranks.erase(wait.ranks.begin() + communicator.rank);
        if (wait.ranks.empty())
            wait.ranks = communicator.peers();
    } else
        wait.ranks = {communicator.world_rank_of(peer)};
    return wait;
}

Wait wait_for_message(const Communicator &communicator, int source, int tag, std::uint64_t number)
{
    Wait wait = wait_for(communicator, source, tag, "a message");
    wait.is_message = true;
    wait.communicator = communicator.id;
    wait.number = number;
    wait.tag = tag;
    return wait;
}

void Waiting::start(bool is_watched)
{
    is_watched_ = is_watched;
    thread_ = quiet_thread([this] {
        std::unique_lock<std::mutex> guard(thread_lock_);
        while (!wake_up_.wait_for(guard, std::chrono::milliseconds(100),
                                  [this] { return is_ending_; }))
            report_blocked();
    });
}

void Waiting::stop()
{
    {
        std::lock_guard<std::mutex> guard(thread_lock_);
        is_ending_ = true;
    }
    wake_up_.notify_all();
    if (thread_.joinable())
        thread_.join();
}

void Waiting::begin(BlockedEvent event)
{
    if (!is_watched_ || !process_.is_connected() || process_.is_distrusted())
        return;
    std::lock_guard<std::mutex> guard(lock_);
    event_ = std::move(event);
    since_ = Clock::now();
}

void Waiting::end()
{
    std::lock_guard<std::mutex> guard(lock_);
    event_.reset();
    if (std::exchange(is_reported_, false)) {
        process_.report(Event::unblocked, false);
        process_.flush();
    }
}

/* Also sends pending events. */
void Waiting::report_blocked()
{
    std::lock_guard<std::mutex> guard(lock_);
    if (event_ && !is_reported_ && Clock::now() - since_ > short_time) {
        is_reported_ = true;
        process_.report(Event::blocked, *event_, false);
    }
    process_.flush();
}

}  // namespace qmpi::check
