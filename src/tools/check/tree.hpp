/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Connects the processes of a world along a tree of hosts; see hub.hpp. */

#ifndef TOOLS_CHECK_TREE_HPP_INCLUDED
#define TOOLS_CHECK_TREE_HPP_INCLUDED

#include "hub.hpp"
#include "relay.hpp"

#include <qmpi.hpp>

#include <functional>
#include <memory>

namespace qmpi::check {

struct Connected {
    Address first;                /* the hub of rank 0 of the world */
    int processes;                /* of the world on this host */
    std::unique_ptr<Relay> relay; /* of the first process of a host, unless it is the root */
};

/* Starts the hubs of all hosts, and calls connect with the hub of the process's host. Collective.
 *   root      hub of the analyser, if it is in this process: in rank 0, unless others have spawned the
 *             world
 *   entrance  of that rank 0; its first rank in all processes of the world
 * Throws qmpi::world_error in all processes if one fails. */
Connected connect_hosts(const qmpi::world &world, Hub *root, Entrance entrance,
                        const std::function<void(const Address &)> &connect);

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_TREE_HPP_INCLUDED */
