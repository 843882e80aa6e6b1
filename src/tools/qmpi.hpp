/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* QMPI tools in C++17. A tool is a struct and a line that registers it:
 *
 *     struct Sends : qmpi::tool<Sends> {
 *         std::atomic<long> number{0};
 *         int MPI_Send(qmpi::call<MPI_SEND_T> &call) { number++; return call(); }
 *         ~Sends() { std::fprintf(stderr, "%ld sends\n", number.load()); }
 *     };
 *     QMPI_TOOL("sends", Sends)
 *
 * Each entry of the tool list with the tool's name gets its own object, an instance. A member named
 * like an MPI function intercepts that function; a member template "intercept" intercepts all
 * others, or those of the set "functions". Tutorial, with the rules for threads, exceptions and the
 * end of the process: doc/tool-kit.md. */

#ifndef QMPI_HPP_INCLUDED
#define QMPI_HPP_INCLUDED

/* One header for each part, in the order in which an author of tools needs them. */
#include <qmpi/any_call.hpp>
#include <qmpi/call.hpp>
#include <qmpi/forever.hpp>
#include <qmpi/function.hpp>
#include <qmpi/instance.hpp>
#include <qmpi/options.hpp>
#include <qmpi/tool.hpp>
#include <qmpi/world.hpp>

#endif /* QMPI_HPP_INCLUDED */
