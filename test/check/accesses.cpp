/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Two accesses to a window that the analyser of check learns of before it knows the target's unit, as
 * events of different processes arrive in any order: rank 1 writes, completes that, and sends a message
 * to rank 2 or not, which writes the same place.
 * Then the same with the unit known, and a later write of rank 1, 2, both, or a process whose order is unknown, whose
 * target rank 2 could have polled before its own write. Prints the number of conflicts of each case.
 * Then rank 1 writes a place more often than accesses are kept, in one epoch, or each time complete, before rank 2
 * does. Prints the number of conflicts, and how often accesses were not kept. */

#include "check/accesses.hpp"

#include <cstddef>
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
        accesses.add(1, put, nullptr, 1);
        accesses.complete(1, {put.window, -1, false}, 7);
        accesses.add(2, put, has_message ? Clock::with(nullptr, 1, 7) : nullptr, 1);
        accesses.set_unit(put.window, put.target, 4);
        accesses.end();
        std::printf("%zu\n", accesses.take_conflicts().size());
    }
    const SharedClock of_1 = Clock::with(nullptr, 1, 7), of_2 = Clock::with(nullptr, 2, 5);
    for (const SharedClock &writer :
         {of_1, of_2, Clock::join(of_1, of_2), Clock::with_unordered(nullptr, 3)}) {
        Accesses accesses;
        accesses.set_unit(put.window, put.target, 4);
        accesses.add(1, put, nullptr, 1);
        accesses.complete(1, {put.window, -1, false}, 7);
        accesses.add(2, put, nullptr, 5);
        accesses.tell(writer);
        accesses.free(put.window);
        std::printf("%zu\n", accesses.take_conflicts().size());
    }
    for (const auto epoch : {AccessEvent::Epoch::fence, AccessEvent::Epoch::shared}) {
        Accesses accesses;
        accesses.set_unit(put.window, put.target, 4);
        put.epoch = epoch;
        for (std::size_t i = 1; i <= 2 * Accesses::most_accesses; i++) {
            accesses.add(1, put, nullptr, i);
            accesses.complete(1, {put.window, -1, false}, i);
        }
        accesses.add(2, put, Clock::with(nullptr, 1, Accesses::most_accesses), 1);
        accesses.end();
        std::printf("%zu %zu\n", accesses.take_conflicts().size(), accesses.take_crowded().size());
    }
    return 0;
}
