/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Gives the analyser of check an event of a process, as the connection does. */

#ifndef TOOLS_TAKE_EVENT_HPP_INCLUDED
#define TOOLS_TAKE_EVENT_HPP_INCLUDED

#include "check/analyser.hpp"

#include <string>

template <typename Fields>
void take_event(qmpi::check::Analyser &analyser, int rank, qmpi::check::Event event,
                const Fields &fields)
{
    qmpi::Writer writer;
    writer.put(fields);
    const std::string bytes = writer.take();
    qmpi::Reader reader(bytes);
    analyser.take(rank, event, reader);
}

#endif /* TOOLS_TAKE_EVENT_HPP_INCLUDED */
