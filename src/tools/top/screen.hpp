/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The table on a terminal, refreshed until the user quits. */

#ifndef TOOLS_TOP_SCREEN_HPP_INCLUDED
#define TOOLS_TOP_SCREEN_HPP_INCLUDED

#include "table.hpp"

#include <chrono>

namespace qmpi::top {

/* False if built without ncurses. */
extern const bool has_screen;

/* Throws std::runtime_error if the terminal is unknown. */
void show_screen(report::Observer &observer, View view, std::chrono::duration<double> interval);

}  // namespace qmpi::top

#endif /* TOOLS_TOP_SCREEN_HPP_INCLUDED */
