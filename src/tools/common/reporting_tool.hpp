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

/* Base of tools whose instances report once: at the end of the world, merged over the processes
 * that have the instance, or else each process alone. A refused instance and a child of fork do not
 * report.
 *
 * The tool provides
 *   State state(bool is_alone)                    data of this process, for merge_to_root()
 *   void write(const State &, const Reporter &)   writes the reports; in one process
 * and calls report_at_end() in its destructor. The first of the functions below that is called
 * reports; they are thread-safe. */
template <typename Tool>
class ReportingTool : public qmpi::tool<Tool> {
  public:
    /* The chain is built; the instance can no longer be refused. */
    void ready() { is_due_ = true; }

    void at_world_begin(const qmpi::world &world)
    {
        reporter_.rank = world.program_rank();
        reporter_.is_spawned = is_spawned();
    }

    void at_world_end(const qmpi::world &world) { report_world(world); }

    /* Data of other processes is lost. */
    void at_abort() { report_alone(); }

  protected:
    /* Returns true in all processes of the world if one of them reported for all; if merging
     * failed, each process has reported alone. */
    bool report_world(const qmpi::world &world)
    {
        if (!is_due_.exchange(false))
            return false;
        auto state = tool().state(false);
        if (!merge_to_root(world.comm(), state)) {
            if (world.rank() == 0)
                complain(Tool::name(), "cannot merge the reports; each process writes its own");
            tool().write(tool().state(true), reporter(true));
            return false;
        }
        if (world.rank() == 0) {
            Reporter whole = reporter(false);
            whole.absent = world.absent();
            whole.is_variant = world.follows_variant();
            tool().write(state, whole);
        }
        return true;
    }

    void report_alone()
    {
        if (is_due_.exchange(false))
            tool().write(tool().state(true), reporter(true));
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

    Reporter reporter(bool is_alone) const
    {
        Reporter reporter = reporter_;
        reporter.instance = this->instance_number();
        reporter.instances = this->instance_count();
        reporter.is_alone = is_alone;
        return reporter;
    }

  private:
    Tool &tool() { return static_cast<Tool &>(*this); }

    Reporter reporter_; /* rank, is_spawned: set while MPI initializes */
    std::atomic<bool> is_due_{false};
};

}  // namespace tools

#endif /* TOOLS_REPORTING_TOOL_HPP_INCLUDED */
