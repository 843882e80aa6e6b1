/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "collectives.hpp"

#include <string>
#include <utility>
#include <vector>

namespace qmpi::check {

Wait Collectives::report(const SharedCommunicator &communicator, CollectiveEvent event)
{
    Wait wait;
    if (!process_.is_comparable(communicator)) {
        process_.lose_order("a communicator that is not compared");
        return wait;
    }
    if (qmpi::set::neighbourhood.contains(event.position.function))
        process_.lose_order("neighborhood collectives");
    const std::string name = communicator->name();
    event.communicator = communicator->id;
    event.size = communicator->size + static_cast<int>(communicator->remote.size());
    event.rank = communicator->rank;
    {
        std::lock_guard<std::mutex> guard(lock_);
        event.number = numbers_[communicator->id]++;
    }
    if (event.number == 0) {
        event.name = name;
        std::vector<int> world = communicator->world;
        world.insert(world.end(), communicator->remote.begin(), communicator->remote.end());
        event.members = Members::of(std::move(world));
    }
    wait.what = "start of the same operation" + (name.empty() ? "" : " on " + name);
    wait.is_collective = true;
    wait.communicator = event.communicator;
    wait.number = event.number;
    if (event.size > 1) {
        const bool wants_answer = process_.waits_for_answer(event.position);
        process_.report(Event::collective, std::move(event), wants_answer);
    }
    return wait;
}

void Collectives::forget(const Communicator &communicator)
{
    const std::lock_guard<std::mutex> guard(lock_);
    numbers_.erase(communicator.id);
}

}  // namespace qmpi::check
