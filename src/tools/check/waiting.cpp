/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "waiting.hpp"

#include "quiet_thread.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace qmpi::check {

namespace {

std::vector<int> ranks(const Communicator &communicator, int peer)
{
    if (peer != MPI_ANY_SOURCE)
        return {communicator.world_rank_of(peer)};
    std::vector<int> ranks = communicator.peers();
    if (!communicator.is_inter && ranks.size() > 1)
        ranks.erase(ranks.begin() + communicator.rank);
    return ranks;
}

Wait event_of(const Expected &expected)
{
    using What = Expected::What;
    Wait wait;
    if (expected.what == What::unknown)
        return wait;
    const Communicator &communicator = *expected.communicator;
    const std::string name = communicator.name();
    wait.is_collective = expected.what == What::start;
    wait.is_message = expected.what == What::message;
    wait.is_receive = expected.what == What::receive;
    if (wait.is_collective)
        wait.what = "start of the same operation";
    else if (expected.what == What::ready) {
        wait.what = "MPI_Pready of " + std::to_string(expected.number) + " more partitions";
        wait.ranks = {communicator.own_world_rank()};
    } else {
        wait.what = (wait.is_message ? "a message with " : "the receive of a message with ") +
            (expected.tag == MPI_ANY_TAG ? "any tag" : "tag " + std::to_string(expected.tag));
        wait.ranks = ranks(communicator, expected.peer);
    }
    if (!name.empty())
        wait.what += " on " + name;
    wait.communicator = communicator.id;
    wait.number = expected.number;
    wait.tag = expected.tag;
    return wait;
}

/* Empty if /proc cannot be read. */
std::set<std::string> threads_of_process()
{
    std::set<std::string> threads;
    std::error_code error;
    const std::filesystem::directory_iterator end;
    for (std::filesystem::directory_iterator entry("/proc/self/task", error);
         !error && entry != end; entry.increment(error))
        threads.insert(entry->path().filename());
    return error ? std::set<std::string>() : threads;
}

}  // namespace

void Waiting::begin_init()
{
    old_threads_ = threads_of_process();
}

void Waiting::start(bool is_watched)
{
    is_watched_ = is_watched;
    thread_ = quiet_thread([this] {
        std::unique_lock<std::mutex> guard(thread_lock_);
        while (!wake_up_.wait_for(guard, interval, [this] { return is_ending_; }))
            report_blocked();
    });
    if (old_threads_.empty() || !process_.is_multiple())
        return;
    const std::set<std::string> threads = threads_of_process();
    const std::lock_guard<std::mutex> guard(lock_);
    std::set_difference(threads.begin(), threads.end(), old_threads_.begin(), old_threads_.end(),
                        std::inserter(library_threads_, library_threads_.end()));
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

void Waiting::begin(BlockedCall &&call)
{
    if (!is_watched_ || !process_.is_connected() || process_.is_distrusted())
        return;
    std::lock_guard<std::mutex> guard(lock_);
    call_ = std::move(call);
    seen_.reset();
}

void Waiting::end()
{
    std::lock_guard<std::mutex> guard(lock_);
    call_.reset();
    if (std::exchange(is_reported_, false)) {
        process_.report(Event::unblocked, false);
        process_.flush();
    }
}

/* The thread in the call is one of those that are counted. */
bool Waiting::is_alone() const
{
    if (!process_.is_multiple())
        return true;
    const std::set<std::string> threads = threads_of_process();
    return std::count_if(threads.begin(), threads.end(), [this](const std::string &thread) {
               return library_threads_.count(thread) == 0;
           }) == 1;
}

/* Also sends pending events, and notes the loss of the connection for the report. A message would be of
 * no use to a job that is about to be killed. */
void Waiting::report_blocked()
{
    std::lock_guard<std::mutex> guard(lock_);
    const auto now = Clock::now();
    if (call_ && !seen_)
        seen_ = now;
    if (call_ && !is_reported_ && now - *seen_ >= short_time && is_alone()) {
        is_reported_ = true;
        BlockedEvent event{call_->position, call_->needs_all, {}};
        for (const Expected &expected : call_->expected)
            event.waits.push_back(event_of(expected));
        process_.report(Event::blocked, std::move(event), false);
    }
    process_.flush();
    if (!process_.is_connected())
        process_.distrust("no connection to rank 0", false);
}

}  // namespace qmpi::check
