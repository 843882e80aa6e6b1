/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Prints, for a call of one thread and one of another thread at the same time, whether their order matters. */

#include "check/threads.hpp"

#include <cstdio>
#include <thread>
#include <utility>

using namespace qmpi::check;
using Kind = Use::Kind;

namespace {

constexpr std::uint64_t object = 1;

Use use(Kind kind, int peer = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG)
{
    return {kind, object, {}, peer, tag};
}

/* The second call begins when the first one has begun, or has ended. */
void order(const char *name, const Use &first, const Use &second, bool has_ended = false)
{
    Threads threads;
    threads.set_multiple();
    const auto other = [&] {
        const Threads::Call call(threads);
        return threads.use(second);
    };
    std::optional<Threads::Other> found;
    const auto in_thread = [&] { std::thread([&] { found = other(); }).join(); };
    {
        const Threads::Call call(threads);
        threads.use(first);
        if (!has_ended)
            in_thread();
    }
    if (has_ended)
        in_thread();
    std::printf("%s: %s\n", name,
                found                            ? "unknown"
                    : threads.is_ordered(object) ? "known"
                                                 : "lost");
}

void another_call_in_between()
{
    Threads threads;
    threads.set_multiple();
    const Threads::Call call(threads);
    threads.use(use(Kind::collective));
    std::thread([&] { const Threads::Call between(threads); }).join();
    std::thread([&] {
        const Threads::Call second(threads);
        const auto other = threads.use(use(Kind::collective));
        std::printf("collective, which the thread may know of: %s\n",
                    other && !other->is_unordered ? "no error" : "error");
    }).join();
}

}  // namespace

int main()
{
    order("sends", use(Kind::send, 1, 5), use(Kind::send, 1, 5));
    order("sends with different tags", use(Kind::send, 1, 5), use(Kind::send, 1, 6));
    order("sends to different processes", use(Kind::send, 1, 5), use(Kind::send, 2, 5));
    order("one send after the other", use(Kind::send, 1, 5), use(Kind::send, 1, 5), true);
    order("send and receive", use(Kind::send, 1, 5), use(Kind::receive, 1, 5));
    order("receives with wildcards", use(Kind::receive), use(Kind::receive, 1, 5));
    order("collective operations", use(Kind::collective), use(Kind::collective));
    order("collective operation and send", use(Kind::collective), use(Kind::send, 1, 5));
    order("accesses", use(Kind::access, 1), use(Kind::access, 1));
    order("access and synchronization", use(Kind::access, 1), use(Kind::synchronization));
    order("access and unlock of another target", use(Kind::access, 1),
          use(Kind::synchronization, 2));
    another_call_in_between();
    return 0;
}
