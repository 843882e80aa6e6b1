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

/* Starts the hubs of all hosts, and calls connect with the hub of the process's host. Collective.
 *   root   hub of rank 0 of the world; nullptr in the others
 * Returns the relay of the first process of another host. Throws qmpi::world_error in all processes if
 * one fails. */
std::unique_ptr<Relay> connect_hosts(const qmpi::world &world, Hub *root,
                                     const std::function<void(const Address &)> &connect);

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_TREE_HPP_INCLUDED */
