/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Reports of the tool messages: text, JSON and a page. */

#ifndef TOOLS_MESSAGES_REPORT_HPP_INCLUDED
#define TOOLS_MESSAGES_REPORT_HPP_INCLUDED

#include "records.hpp"

#include "../common/report.hpp"

#include <functional>
#include <string>

namespace qmpi::messages {

struct Rows {
    int processes = 1;
    int block = 1; /* ranks per row */
    int number = 1;
};

struct Heading {
    Introduction introduction;
    std::string end; /* wall-clock time; empty: unknown */
    Rows rows;
    bool is_alone = false;
    bool is_whole = true; /* no function was excluded, so both sides are comparable */
    double seconds = 0;
    int top = 20;
};

/* Heading of the report of an instance; its arguments say how the report is to be. */
Heading heading_of(const Introduction &introduction, bool is_alone);

/* "point-to-point", "collective" or "one-sided" */
const char *name_of(Kind kind);

/* Makes the reports of merged records, which must outlive the result. */
std::function<std::string(Format)> report_maker(const State &state, Heading heading);

}  // namespace qmpi::messages

#endif /* TOOLS_MESSAGES_REPORT_HPP_INCLUDED */
