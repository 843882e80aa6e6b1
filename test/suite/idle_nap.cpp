// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// A library to preload into MPI ranks on machines with fewer cores than ranks.
//
// MPICH's progress loop spins without yielding its core. With more ranks than cores, every message waits until the
// scheduler preempts a rank that only polls. This library wraps UCX's ucp_worker_progress, which the loop calls in every
// turn, and sleeps for a moment after many turns without progress. It is for tests and demonstrations; it must not be used
// in measurements of cost.
//
// If the MPI library does not use UCX, preloading this library changes nothing.

#include <dlfcn.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

using Progress = unsigned(void *worker);

// Longer than the latency of a message from a running rank, shorter than a scheduler slice.
constexpr unsigned idle_turns_before_nap = 200;

constexpr timespec nap = {0, 1000};

std::atomic<Progress *> real_progress{nullptr};

// The next definition is UCX's. If the program has loaded UCX privately (dlopen without RTLD_GLOBAL) there is none, and
// the loaded library is opened by its name.
Progress *find_real_progress()
{
    void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!symbol) {
        void *ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
        if (ucp)
            symbol = dlsym(ucp, "ucp_worker_progress");
    }
    if (!symbol) {
        // Continuing would be a program that waits forever without a message.
        std::fputs("idle_nap: ucp_worker_progress was called, but no UCX library defines it\n",
                   stderr);
        std::abort();
    }
    return reinterpret_cast<Progress *>(symbol);
}

Progress *get_real_progress()
{
    Progress *found = real_progress.load(std::memory_order_acquire);
    if (!found) {
        // Threads that race here find the same address.
        found = find_real_progress();
        real_progress.store(found, std::memory_order_release);
    }
    return found;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker)
{
    thread_local unsigned idle_turns = 0;

    const unsigned events = get_real_progress()(worker);
    if (events != 0) {
        idle_turns = 0;
    } else if (++idle_turns >= idle_turns_before_nap) {
        idle_turns = 0;
        nanosleep(&nap, nullptr);
    }
    return events;
}
