/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* ahead CALLS: feeds the replay of check with a process that waits for a message and then makes
 * so many sends. Prints what the process is left out of. */

#include "check/replay.hpp"

#include <cstdio>
#include <cstdlib>

using namespace qmpi::check;

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    const std::uint64_t world = 1, calls = std::strtoull(argv[1], nullptr, 10);
    Replay replay(2, false);
    replay.receive(0, ReceiveEvent{{MPI_IRECV_T, 0}, world, 1, 1, 0, false, false, false, {}});
    replay.await(0, OperationEvent{{MPI_WAIT_T, 1}, {false, 0, 1}});
    for (std::uint64_t i = 0; i < calls; i++)
        replay.send(0, SendEvent{{MPI_SEND_T, 2}, world, 2 + i, 1, 0, {}});
    for (const Omission &omission : replay.take_omissions())
        std::printf("rank %d: %s: %s\n", omission.rank, omission.what.c_str(),
                    omission.reason.c_str());
    return 0;
}
