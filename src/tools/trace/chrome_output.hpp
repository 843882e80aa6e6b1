/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A trace in the trace-event format, a JSON text that Perfetto (ui.perfetto.dev) and Chrome show:
 * a process for each rank, messages as flows. */

#ifndef QMPI_TRACE_CHROME_OUTPUT_HPP_INCLUDED
#define QMPI_TRACE_CHROME_OUTPUT_HPP_INCLUDED

#include "definitions.hpp"

#include <string>
#include <vector>

namespace trace {

/* Writes the events of recordings to a file, each with a comma before it. Returns the reason why not,
 * or an empty text. */
std::string write_chrome_events(const std::string &path, const Definitions &definitions,
                                const std::vector<Recording> &recordings);

/* Makes the whole of what several processes wrote. */
std::string join_chrome_events(const std::string &path, const std::vector<std::string> &parts,
                               const Definitions &definitions);

}  // namespace trace

#endif /* QMPI_TRACE_CHROME_OUTPUT_HPP_INCLUDED */
