/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Feeds the replay of check with two processes that write the same place. Rank 1 then sends a message, which
 * a thread of rank 2 receives; another thread of rank 2 writes. The analyser hears of rank 2 first. Prints the
 * number of conflicts of each case. */

#include "check/replay.hpp"

#include <cstdint>
#include <cstdio>
#include <functional>

using namespace qmpi::check;

namespace {

constexpr std::uint64_t world = 1, window = 2;

void write(Replay &replay, int rank)
{
    AccessEvent put;
    put.window = window;
    put.kind = AccessEvent::Kind::put;
    put.epoch = AccessEvent::Epoch::shared;
    put.blocks = {0, 4};
    replay.access(rank, put);
    replay.accesses_complete(rank, {window, -1, false});
}

SharedEnd receive(Replay &replay)
{
    return replay.receive(2, {{MPI_RECV_T, 0}, world, 1, 1, 0, true, false, false, {}});
}

void conflicts(const char *name, const std::function<SharedEnd(Replay &)> &rank_2)
{
    Replay replay(3, false);
    for (int rank = 0; rank < 3; rank++)
        replay.window(rank, {window, 4});
    const SharedEnd receive = rank_2(replay);
    write(replay, 1);
    replay.match(replay.send(1, {{MPI_SEND_T, 0}, world, 1, 2, 0, {}}), receive);
    replay.end_run();
    std::printf("%s: %zu\n", name, replay.take_conflicts().size());
}

}  // namespace

int main()
{
    conflicts("the same thread", [](Replay &replay) {
        const SharedEnd end = receive(replay);
        write(replay, 2);
        return end;
    });
    conflicts("after the receive of another thread", [](Replay &replay) {
        const SharedEnd end = receive(replay);
        replay.returned(2);
        replay.change_thread(2, {1});
        write(replay, 2);
        return end;
    });
    conflicts("during the receive of another thread", [](Replay &replay) {
        const SharedEnd end = receive(replay);
        replay.change_thread(2, {1});
        write(replay, 2);
        replay.change_thread(2, {0});
        replay.returned(2);
        return end;
    });
    conflicts("after a send that nobody receives", [](Replay &replay) {
        replay.change_thread(2, {1});
        replay.send(2, {{MPI_SEND_T, 0}, world, 2, 0, 0, {}});
        write(replay, 2);
        replay.change_thread(2, {0});
        return receive(replay);
    });
    return 0;
}
