/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* When a tool reports, and for whom. */

#ifndef TOOLS_REPORTING_TOOL_HPP_INCLUDED
#define TOOLS_REPORTING_TOOL_HPP_INCLUDED

#include "merge.hpp"
#include "process.hpp"
#include "report.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <exception>

namespace tools {

/* Base of tools whose instances report once: in MPI_Finalize for all processes of MPI_COMM_WORLD
 * together; or, where it does not come to that, each process for itself. An instance that is refused
 * for its arguments has no report, and in a child of fork there is none, as the kit ends no object
 * there.
 *
 * The tool has, at least for this class,
 *   State state(bool is_alone)                 what this process knows; for merge_to_root()
 *   void write(const State &, bool is_alone)   writes the reports; by rank 0, or by a process alone
 * and calls from its members for MPI_Finalize and MPI_Abort, before these go on, and from its destructor
 * the functions below. Those may be called by any thread, in any order: the first reports. */
template <typename Tool>
class ReportingTool : public qmpi::tool<Tool> {
  public:
    /* The chain stands: nobody refuses the instance any more. */
    void ready() { is_due_ = true; }

  protected:
    /* In MPI_Finalize, while the library still works. Collective over MPI_COMM_WORLD. True, in all
     * processes, if there is one report for them; if merging failed, each has written its own. */
    bool report_world()
    {
        if (!is_world_up() || !is_due_.exchange(false))
            return false;
        auto state = tool().state(false);
        int rank = 0;
        QMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (!merge_to_root(MPI_COMM_WORLD, state)) {
            if (rank == 0)
                complain(Tool::name(),
                         "the reports of the processes could not be merged; each writes its own");
            tool().write(tool().state(true), true);
            return false;
        }
        if (rank == 0)
            tool().write(state, false);
        return true;
    }

    /* In MPI_Abort: what the others know is lost. */
    void report_alone()
    {
        if (is_due_.exchange(false))
            tool().write(tool().state(true), true);
    }

    /* In the destructor: programs with sessions alone, where no MPI_Session_finalize can be told to be
     * the last, and those that end without MPI_Finalize. */
    void report_at_end() noexcept
    {
        try {
            report_alone();
        } catch (const std::exception &exception) {
            complain(Tool::name(), std::string("no report: ") + exception.what());
        }
    }

    /* Processes that were spawned have a world of their own beside that of the others. */
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
