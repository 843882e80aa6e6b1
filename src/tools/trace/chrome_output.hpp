/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Trace-event JSON for Perfetto (ui.perfetto.dev) and Chrome: one process per rank, messages as
 * flows. */

#ifndef TOOLS_TRACE_CHROME_OUTPUT_HPP_INCLUDED
#define TOOLS_TRACE_CHROME_OUTPUT_HPP_INCLUDED

#include "definitions.hpp"

#include <string>
#include <vector>

namespace qmpi::trace {

/* Writes the events of recordings, each preceded by a comma. Returns the error or an empty text. */
std::string write_chrome_events(const std::string &path, const Definitions &definitions,
                                const std::vector<Recording> &recordings);

/* Joins the files of several processes. */
std::string join_chrome_events(const std::string &path, const std::vector<std::string> &parts,
                               const Definitions &definitions);

}  // namespace qmpi::trace

#endif /* TOOLS_TRACE_CHROME_OUTPUT_HPP_INCLUDED */
