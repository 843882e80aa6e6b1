/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Base of tools that report once. */

#ifndef TOOLS_REPORTING_TOOL_HPP_INCLUDED
#define TOOLS_REPORTING_TOOL_HPP_INCLUDED

#include "merge.hpp"
#include "process.hpp"
#include "report.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <exception>

namespace tools {

/* Base of tools whose instances report once: merged in MPI_Finalize, or else each process alone. A
 * refused instance and a child of fork do not report.
 *
 * The tool provides
 *   State state(bool is_alone)                 data of this process, for merge_to_root()
 *   void write(const State &, bool is_alone)   writes the reports; in rank 0, or in a process alone
 * and calls the functions below in MPI_Finalize and MPI_Abort, before the next link, and in its
 * destructor. They are thread-safe; the first call reports. */
template <typename Tool>
class ReportingTool : public qmpi::tool<Tool> {
  public:
    /* The chain is built; the instance can no longer be refused. */
    void ready() { is_due_ = true; }

  protected:
    /* In MPI_Finalize, before the library ends; collective over MPI_COMM_WORLD. Returns true in all
     * processes if rank 0 reported; if merging failed, each process has reported alone. */
    bool report_world()
    {
        if (!is_world_up() || !is_due_.exchange(false))
            return false;
        auto state = tool().state(false);
        int rank = 0;
        QMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (!merge_to_root(MPI_COMM_WORLD, state)) {
            if (rank == 0)
                complain(Tool::name(), "cannot merge the reports; each process writes its own");
            tool().write(tool().state(true), true);
            return false;
        }
        if (rank == 0)
            tool().write(state, false);
        return true;
    }

    /* In MPI_Abort: data of other processes is lost. */
    void report_alone()
    {
        if (is_due_.exchange(false))
            tool().write(tool().state(true), true);
    }

    /* In the destructor: for programs that use sessions only, where no MPI_Session_finalize is
     * known to be the last, and for programs that end without MPI_Finalize. */
    void report_at_end() noexcept
    {
        try {
            report_alone();
        } catch (const std::exception &exception) {
            complain(Tool::name(), std::string("no report: ") + exception.what());
        }
    }

    /* Spawned processes have their own world. */
    Reporter reporter(bool is_alone) const
    {
        return {this->instance_number(), this->instance_count(), is_alone || is_spawned()};
    }

  private:
    Tool &tool() { return static_cast<Tool &>(*this); }

    std::atomic<bool> is_due_{false};
};

}  // namespace tools

#endif /* TOOLS_REPORTING_TOOL_HPP_INCLUDED */
