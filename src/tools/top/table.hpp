/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The ranks of a job as a table in text. */

#ifndef TOOLS_TOP_TABLE_HPP_INCLUDED
#define TOOLS_TOP_TABLE_HPP_INCLUDED

#include "../report/where_job.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace qmpi::top {

enum class Sort { rank, time, mpi, calls };

/* "0-3,7": pairs of the first and the last. Throws std::runtime_error. */
using Ranges = std::vector<std::pair<int, int>>;
Ranges ranges_in(const std::string &text);

/* What the user wants to see. */
struct View {
    Sort sort = Sort::rank; /* the others: largest first */
    bool is_reversed = false;
    bool waiting_only = false;
    bool is_grouped = false;
    std::string ranks; /* as the user wrote them; empty: all */
};

struct Table {
    std::vector<std::string> head; /* ranks by state, and what holds for all of them */
    std::string columns;           /* their names */
    std::vector<std::string> rows;
    std::size_t fixed = 0; /* characters of the first column, which identifies a row */
    std::size_t width = 0; /* of the longest row */
};

Table table_of(const report::JobFacts &facts, const View &view);

/* All processes are gone. */
bool has_ended(const report::JobFacts &facts);

}  // namespace qmpi::top

#endif /* TOOLS_TOP_TABLE_HPP_INCLUDED */
