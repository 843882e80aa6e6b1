/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* An object that the processes of a communicator have made together and use in the same order: a window,
 * or a persistent collective operation. */

#ifndef TOOLS_CHECK_COLLECTIVE_OBJECT_HPP_INCLUDED
#define TOOLS_CHECK_COLLECTIVE_OBJECT_HPP_INCLUDED

#include "events.hpp"

#include "../common/communicators.hpp"

#include <qmpi.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace qmpi::check {

/* Of all processes of the communicator; for the first event on a communicator or object. */
inline void set_members(CollectiveEvent &event, const Communicator &communicator, std::string name)
{
    event.size = communicator.size + static_cast<int>(communicator.remote.size());
    event.name = std::move(name);
    std::vector<int> world = communicator.world;
    world.insert(world.end(), communicator.remote.begin(), communicator.remote.end());
    event.members = Members::of(std::move(world));
}

/* False: it is no neighborhood collective. */
inline bool set_sources(CollectiveEvent &event, const Communicator &communicator)
{
    const bool is_of_neighbours = qmpi::set::neighbourhood.contains(event.position.function);
    if (is_of_neighbours)
        event.sources = communicator.world_sources();
    return is_of_neighbours;
}

/* Not thread-safe. */
class CollectiveObject {
  public:
    CollectiveObject() = default;

    /* number: of the objects of that kind on the communicator */
    CollectiveObject(Shared kind, const Communicator &communicator, std::uint64_t number,
                     std::string name)
    {
        event_.communicator = id_of(kind, communicator.id, number);
        event_.made_on = communicator.id;
        set_members(event_, communicator, std::move(name));
    }

    std::uint64_t id() const { return event_.communicator; }

    /* Uses so far. */
    std::uint64_t uses() const { return event_.number; }

    CollectiveEvent next(const Position &position)
    {
        CollectiveEvent event = event_;
        event.position = position;
        event_.number++;
        event_.name.clear();
        event_.members = Members();
        return event;
    }

  private:
    CollectiveEvent event_; /* of the next use, without data: that was compared when it was made */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_COLLECTIVE_OBJECT_HPP_INCLUDED */
