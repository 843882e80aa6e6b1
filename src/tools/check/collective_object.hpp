/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* An object that the processes of a communicator have made together and use in the same order: a window,
 * or a persistent collective operation. */

#ifndef TOOLS_CHECK_COLLECTIVE_OBJECT_HPP_INCLUDED
#define TOOLS_CHECK_COLLECTIVE_OBJECT_HPP_INCLUDED

#include "events.hpp"
#include "participants.hpp"

#include "../common/communicators.hpp"

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
    event.members = Members::of(world_ranks(communicator));
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

    /* A persistent operation that this call has made. */
    void follow(const CollectiveEvent &made)
    {
        event_.rank = made.rank;
        event_.second = made.second;
        event_.root = made.root;
        event_.sources = made.sources;
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
