/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two accesses to a window that the analyser of check learns of before it knows the target's unit, as
 * events of different processes arrive in any order: rank 1 writes, completes that, and sends a message
 * to rank 2 or not, which writes the same place. Prints the number of conflicts of both cases. */

#include "check/accesses.hpp"

#include <cstdio>
#include <initializer_list>

using namespace qmpi::check;

int main()
{
    AccessEvent put;
    put.window = 1;
    put.kind = AccessEvent::Kind::put;
    put.epoch = AccessEvent::Epoch::shared;
    put.blocks = {0, 4};
    for (const bool has_message : {true, false}) {
        Accesses accesses;
        accesses.add(1, put, nullptr);
        accesses.complete(1, {put.window, -1, false}, 7);
        accesses.add(2, put, has_message ? Clock::with(nullptr, 1, 7) : nullptr);
        accesses.set_unit(put.window, put.target, 4);
        std::printf("%zu\n", accesses.take_conflicts().size());
    }
    return 0;
}
