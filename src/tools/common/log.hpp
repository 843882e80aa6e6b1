/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Messages of a tool to the user. */

#ifndef QMPI_LOG_HPP_INCLUDED
#define QMPI_LOG_HPP_INCLUDED

#include "process.hpp"
#include "report.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <string>

namespace qmpi {
inline namespace v1 {

/* Prints lines "QMPI tool NAME: rank RANK: WHAT" to standard error, not more than a limit: a message
 * in a call may come a million times. Thread-safe. */
class Log {
  public:
    template <typename Tool>
    explicit Log(const qmpi::tool<Tool> &tool, unsigned limit = 20)
        : tool_name_(tool.name()), limit_(limit)
    {
    }

    void warn(const std::string &what)
    {
        const unsigned number = number_.fetch_add(1, std::memory_order_relaxed);
        if (number < limit_)
            complain(tool_name_, rank_text() + what);
        else if (number == limit_)
            complain(tool_name_, rank_text() + "further messages are not printed");
    }

    /* Messages so far, printed or not. */
    unsigned number() const { return number_.load(std::memory_order_relaxed); }

  private:
    static std::string rank_text()
    {
        int rank = 0;
        return is_world_up() && QMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS
            ? "rank " + std::to_string(rank) + ": "
            : "";
    }

    const char *tool_name_;
    const unsigned limit_;
    std::atomic<unsigned> number_{0};
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_LOG_HPP_INCLUDED */
