/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "waiting.hpp"

#include "erase.hpp"

#include "../common/quiet_thread.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* Their data is needed. */
std::vector<int> sources(const Communicator &communicator)
{
    std::set<int> ranks;
    for (const int source : communicator.sources) {
        if (source != MPI_PROC_NULL)
            ranks.insert(communicator.world_rank_of(source));
    }
    return {ranks.begin(), ranks.end()};
}

/* The event that a synchronization of a window waits for. */
const char *synchronization_of(int function)
{
    switch (qmpi::operation_of(function)) {
    case qmpi::operation::start_access:
    case qmpi::operation::end_access:
        return "MPI_Win_post of the window";
    case qmpi::operation::end_exposure:
        return "MPI_Win_complete of the window";
    default:
        return "the end of a lock of the window";
    }
}

/* The event that must come from the peer; the tag follows. */
const char *subject_of(Completion kind)
{
    switch (kind) {
    case Completion::message:
        return "a message with ";
    case Completion::partitioned:
        return "the start of partitioned communication with ";
    case Completion::buffered:
        return "the receive of a buffered message with ";
    case Completion::joining:
        return "MPI_Intercomm_create of the other leader with ";
    default:
        return "the receive of a message with ";
    }
}

Wait event_of(int function, const Expected &expected)
{
    if (expected.kind == Completion::unknown)
        return {};
    Wait wait;
    wait.kind = expected.kind;
    if (expected.kind == Completion::end) {
        wait.what = "MPI_Session_finalize of other processes";
        for (int rank = 0; rank < static_cast<int>(expected.number); rank++) {
            if (rank != expected.peer)
                wait.ranks.push_back(rank);
        }
        return wait;
    }
    const Communicator &communicator = *expected.communicator;
    if (expected.kind == Completion::synchronized) {
        wait.what = synchronization_of(function);
        wait.ranks = expected.peer == MPI_ANY_SOURCE ? ranks(communicator, MPI_ANY_SOURCE)
                                                     : std::vector<int>{expected.peer};
        return wait;
    }
    if (expected.is_of_neighbours) {
        wait.ranks = sources(communicator);
        if (wait.ranks.empty())
            return {};
    }
    const std::string name = expected.is_of_window ? "the window" : communicator.name();
    if (expected.kind == Completion::start)
        wait.what = "start of the same operation";
    else if (expected.kind == Completion::ready) {
        wait.what = "MPI_Pready of " + std::to_string(expected.number) + " more partitions";
        wait.ranks = {communicator.own_world_rank()};
    } else {
        wait.what = std::string(subject_of(expected.kind)) +
            (expected.tag == MPI_ANY_TAG ? "any tag" : "tag " + std::to_string(expected.tag));
        wait.ranks = ranks(communicator, expected.peer);
    }
    if (!name.empty())
        wait.what += " on " + name;
    wait.communicator = expected.object();
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

/* As in /proc. */
pid_t own_thread()
{
    static thread_local const auto own = static_cast<pid_t>(syscall(SYS_gettid));
    return own;
}

/* Other processes can wake a thread there. */
bool is_shared_memory(std::uintptr_t address)
{
    std::ifstream maps("/proc/self/maps");
    std::string line;
    while (std::getline(maps, line)) {
        std::uintptr_t begin = 0, end = 0;
        char access[5] = "";
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &begin, &end, access) == 3 &&
            begin <= address && address < end)
            return access[3] != 'p';
    }
    return true;
}

/* Only another thread of the process can wake this one, from pthread_join, pthread_cond_wait, a barrier
 * and the like. What it does, with the number of times it went to sleep; else empty. */
std::string endless_sleep_of(const std::string &thread)
{
    const std::string folder = "/proc/self/task/" + thread;
    std::ifstream call(folder + "/syscall");
    std::uintptr_t address = 0, operation = 0, value = 0, timeout = 0;
    long number = -1;
    if (!(call >> number >> std::hex >> address >> operation >> value >> timeout) ||
        number != SYS_futex || timeout != 0)
        return "";
    const auto command = operation & static_cast<std::uintptr_t>(FUTEX_CMD_MASK);
    const bool is_private = (operation & FUTEX_PRIVATE_FLAG) != 0;
    if ((command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) ||
        (!is_private && is_shared_memory(address)))
        return "";
    std::ifstream status(folder + "/status");
    std::string line;
    while (std::getline(status, line)) {
        if (line.find("voluntary_ctxt_switches") == 0)
            return std::to_string(address) + line;
    }
    return "";
}

}  // namespace

void Waiting::begin_init()
{
    std::set<std::string> threads = threads_of_process();
    const std::lock_guard<std::mutex> guard(lock_);
    old_threads_ = std::move(threads);
}

void Waiting::start(bool is_watched, int processes)
{
    is_watched_ = is_watched;
    thread_ = quiet_thread([this, shortest = shortest_pause(processes)] {
        std::unique_lock<std::mutex> guard(thread_lock_);
        /* Rarer while calls return. */
        for (auto pause = shortest;
             !wake_up_.wait_for(guard, pause, [this] { return is_ending_; });)
            pause = look() ? shortest : std::min(2 * pause, 4 * shortest);
    });
    if (!process_.is_multiple())
        return;
    const std::set<std::string> threads = threads_of_process();
    const std::lock_guard<std::mutex> guard(lock_);
    if (!old_threads_.empty())
        std::set_difference(threads.begin(), threads.end(), old_threads_.begin(),
                            old_threads_.end(),
                            std::inserter(library_threads_, library_threads_.end()));
}

/* A thread that wakes on a core takes the turn of another process there. All these wait for it, if they
 * communicate: the more there are, the rarer it must be. */
Waiting::Time Waiting::shortest_pause(int processes)
{
    constexpr long few = 8;
    const long cores = std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L);
    return short_time * std::max(processes / (few * cores), 1L);
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
    entered_.push_back({own_thread(), std::move(call), std::nullopt});
}

void Waiting::end()
{
    std::lock_guard<std::mutex> guard(lock_);
    erase_if(entered_, [own = own_thread()](const Entered &one) { return one.thread == own; });
    if (is_reported_)
        retract();
}

void Waiting::retract()
{
    is_reported_ = false;
    process_.report(Event::unblocked, false);
    process_.flush();
}

bool Waiting::is_entered(const std::string &thread) const
{
    return std::any_of(entered_.begin(), entered_.end(), [&thread](const Entered &one) {
        return std::to_string(one.thread) == thread;
    });
}

std::string Waiting::state_of(const std::string &thread) const
{
    if (is_entered(thread))
        return "entered";
    return library_threads_.count(thread) > 0 ? "library" : endless_sleep_of(thread);
}

/* A thread can wake another one and then sleep, so each must be found asleep twice, with no step in
 * between. */
bool Waiting::are_all_waiting(States &states) const
{
    if (!process_.is_multiple())
        return true;
    for (const std::string &thread : threads_of_process())
        states[thread] = state_of(thread);
    return !states.empty() && std::all_of(states.begin(), states.end(), [this](const auto &known) {
        const auto &[thread, state] = known;
        return !state.empty() && state_of(thread) == state;
    });
}

/* Sends pending events, and notes the loss of the connection for the report. A message would be of no
 * use to a job that is about to be killed. Returns true if the process may be blocked. */
bool Waiting::look()
{
    const bool may_be_blocked = report_blocked();
    if (is_watched_)
        report_polling();
    process_.flush();
    if (!process_.is_connected())
        process_.distrust("no connection to rank 0", false);
    return may_be_blocked;
}

/* A call may be counted before it is known to test in vain. */
void Waiting::report_polling()
{
    const Recorder::Polls now = process_.polls();
    const bool is_polling = now.polls > polls_.polls && now.other_calls <= polls_.other_calls + 1 &&
        polls_.other_calls <= now.other_calls + 1;
    if (!is_polling) {
        polls_.other_calls = now.other_calls;
        polling_since_ = Clock::now();
    }
    polls_.polls = now.polls;
    const auto time = std::chrono::duration_cast<Time>(Clock::now() - polling_since_);
    const bool is_long = is_polling && time >= 4 * short_time;
    if (is_long || is_polling_) /* each time, so that what the analyser knows is not old */
        process_.report(
            Event::polling,
            OperationEvent{is_long ? Position{now.last.function, now.last.site} : Position{-1, 0},
                           {false, 0, static_cast<std::uint64_t>(time.count())}},
            false);
    is_polling_ = is_long;
}

/* A thread that slept, and has made a step since the report, may go on to end the wait. It may have
 * slept for a thread of the library or of this tool. Returns true if a call has not returned since the last
 * time. */
bool Waiting::report_blocked()
{
    std::lock_guard<std::mutex> guard(lock_);
    const auto now = Clock::now();
    bool is_long = !entered_.empty(), is_seen_again = is_long;
    for (Entered &one : entered_) {
        is_seen_again = is_seen_again && one.seen;
        if (!one.seen)
            one.seen = now;
        is_long = is_long && now - *one.seen >= short_time;
    }
    States states;
    const bool is_blocked = is_long && are_all_waiting(states);
    if (is_reported_ && (!is_blocked || states != states_))
        retract();
    else if (is_blocked && !is_reported_) {
        is_reported_ = true;
        states_ = std::move(states);
        BlockedEvent event;
        for (const Entered &one : entered_) {
            BlockedThread thread{one.call.position, one.call.needs_all, {}};
            for (const Expected &expected : one.call.expected)
                thread.waits.push_back(event_of(one.call.position.function, expected));
            event.threads.push_back(std::move(thread));
        }
        process_.report(Event::blocked, std::move(event), false);
    }
    return is_seen_again;
}

}  // namespace qmpi::check
