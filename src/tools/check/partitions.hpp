/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Partitions of a persistent send or receive (MPI 4.0, 4.2). */

#ifndef TOOLS_CHECK_PARTITIONS_HPP_INCLUDED
#define TOOLS_CHECK_PARTITIONS_HPP_INCLUDED

#include "resources.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace qmpi::check {

struct Partitions {
    bool are_sent = false;
    std::uint64_t number = 0;   /* of the operation, if the analyser knows it */
    std::vector<bool> are_done; /* since the start: marked ready, or known to have arrived */
    std::size_t left = 0;       /* those that are not */
    Ranges ranges;              /* memory of each; none if it is unknown */

    /* The program knows that all partitions have. */
    bool have_arrived() const { return !are_sent && left == 0; }

    void restart()
    {
        are_done.assign(are_done.size(), false);
        left = are_done.size();
    }

    /* False if it was done before. */
    bool finish(int number)
    {
        std::vector<bool>::reference is_done = are_done[static_cast<std::size_t>(number)];
        if (is_done)
            return false;
        is_done = true;
        left--;
        return true;
    }

    /* Memory that the library may use at once when the operation starts. */
    Ranges used_at_start() const { return are_sent ? Ranges() : ranges; }

    const Range *range_of(int number) const
    {
        return ranges.empty() ? nullptr : &ranges[static_cast<std::size_t>(number)];
    }

    /* Fault of the number as an argument; empty if there is none. */
    std::string fault_of(int number) const
    {
        if (number >= 0 && static_cast<std::size_t>(number) < are_done.size())
            return "";
        return "partition " + std::to_string(number) + ", but the last one is " +
            std::to_string(are_done.size() - 1);
    }

    /* The same of MPI_Pready. */
    std::string fault_of_ready(int number, bool is_active) const
    {
        if (!are_sent)
            return "a partition of a receive is marked as ready";
        if (!is_active)
            return "a partition is marked as ready before the send is started";
        const std::string fault = fault_of(number);
        if (!fault.empty() || !are_done[static_cast<std::size_t>(number)])
            return fault;
        return "partition " + std::to_string(number) + " is marked as ready twice";
    }
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_PARTITIONS_HPP_INCLUDED */
