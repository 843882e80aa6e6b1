// Copyright (C) by the QMPI for MPICH developers
//     See COPYRIGHT in top-level directory

// A library to preload into MPI ranks on machines with fewer cores than ranks.
//
// MPICH's progress loop spins and never gives its core away, so that with more ranks than cores every message waits
// until the scheduler takes the core from a rank that only polls. This library stands in front of UCX's
// ucp_worker_progress, which the loop calls in every turn, and sleeps for a moment after many turns in a row that moved
// nothing. It is meant for tests and demonstrations, never for a measurement of cost.
//
// Where the MPI library does not use UCX, nobody calls the function below, and preloading the library changes nothing.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>

namespace
{

using Progress = unsigned (void *worker);

// Long enough that a message on its way from a running rank is not slept over, short against a scheduler slice.
constexpr unsigned idle_turns_before_nap = 200;

constexpr timespec nap = {0, 1000};

std::atomic<Progress *> real_progress{nullptr};

// The next definition is UCX's own. A program that loaded UCX privately (dlopen without RTLD_GLOBAL) still reaches this
// library first, because preloaded symbols are global; then the one already loaded is asked by its name.
Progress *find_real_progress()
{
    void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!symbol) {
        void *ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
        if (ucp)
            symbol = dlsym(ucp, "ucp_worker_progress");
    }
    if (!symbol) {
        // To go on would be a program that waits for ever without a word.
        std::fputs("idle_nap: ucp_worker_progress was called, but no UCX library defines it\n", stderr);
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

}   // namespace

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
