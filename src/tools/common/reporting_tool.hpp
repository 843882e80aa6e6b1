/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Base of tools that report once. */

#ifndef QMPI_REPORTING_TOOL_HPP_INCLUDED
#define QMPI_REPORTING_TOOL_HPP_INCLUDED

#include "merge.hpp"
#include "process.hpp"
#include "record.hpp"
#include "record_report.hpp"
#include "report.hpp"
#include "text.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>

namespace qmpi {
inline namespace v1 {

/* Base of tools whose instances report once: at the end of the world, merged over the processes
 * that have the instance. From the begin of the world or of the first session on, what the tool
 * measures is in a record file; a process that ends early leaves it for qmpi_report, if the tool has a
 * QMPI_REPORT (record_report.hpp; table_report.hpp has a simpler base). Without a world, or without record
 * files, each process reports alone. A refused instance and a child of fork do not report.
 *
 * The tool keeps what it measures in own_record(), has a member "const Destination destination_", and
 * provides
 *   State state(bool is_alone)                    data of this process, for merge_to_root()
 *   bool write(const State &, const Reporter &)   writes the reports, in one process; returns false
 *                                                 if a file could not be written
 * and calls report_at_end() in its destructor. The first of the functions below that is called
 * reports; they are thread-safe. */
template <typename Tool>
class ReportingTool : public qmpi::tool<Tool> {
  public:
    static constexpr bool works_in_child = false;

    /* The chain is built; the instance can no longer be refused. */
    void ready()
    {
        is_due_ = true;
        if constexpr (Tool::can_sleep) {
            if (tool().options_.asleep)
                this->set_awake(false);
        }
    }

    void at_world_begin(const qmpi::world &world)
    {
        reporter_.rank = world.program_rank();
        reporter_.is_spawned = is_spawned();
        reporter_.is_variant = world.follows_variant();
        reporter_.absent = world.absent();
        size_ = world.program_size();
        is_first_ = world.rank() == 0;
        open_record(world);
    }

    void at_world_end(const qmpi::world &world) { report_world(world); }

    /* The record is the process's own until a world begins. */
    void at_session_begin()
    {
        const std::lock_guard<std::mutex> guard(opening_lock_);
        if (record_.is_open() || is_world_ || !is_due_)
            return;
        const Destination &destination = tool().destination_;
        try {
            open_record(destination.make_record_folder(reporter(true), record_folder_ending));
        } catch (const std::exception &exception) {
            if (destination.wants_records())
                complain(Tool::name(), std::string("no record file: ") + exception.what());
        }
    }

    void at_abort()
    {
        if (has_record_of_world())
            advise("MPI_Abort was called");
        else
            report_alone();
        await_stderr();
    }

  protected:
    static constexpr const char *unwritten = "the report could not be written";

    /* Returns true in all processes of the world if one of them reported for all; if merging
     * failed, each process has reported alone. */
    bool report_world(const qmpi::world &world)
    {
        if (!is_due_.exchange(false))
            return false;
        bool is_written = true, is_merged = false;
        try {
            /* No process may leave the others waiting. */
            auto state = world.agree([this] { return tool().state(false); });
            is_merged = merge_to_root(world.comm(), state,
                                      [&] { is_written = tool().write(state, reporter(false)); });
        } catch (const qmpi::world_error &) {
            /* The next step has the reason, too. */
        }
        if (!is_merged && world.rank() == 0)
            complain(Tool::name(), "cannot merge the reports; each process writes its own");
        try {
            world.agree([&] {
                if (!is_merged)
                    is_written = tool().write(tool().state(true), reporter(true));
                if (!is_written)
                    throw std::runtime_error(unwritten);
            });
            record_.remove();
        } catch (const qmpi::world_error &error) {
            if (is_first_ && record_.is_open())
                advise(error.what());
            else if (is_first_ && error.what() != std::string(unwritten))
                complain(Tool::name(), error.what());
        }
        return is_merged;
    }

    void report_alone()
    {
        if (!is_due_.exchange(false))
            return;
        if (tool().write(tool().state(true), reporter(true)))
            record_.remove();
        else if (record_.is_open())
            advise(unwritten);
    }

    /* In the destructor: for programs that use sessions only, where no MPI_Session_finalize is
     * known to be the last, and for programs that end without MPI_Finalize. */
    void report_at_end() noexcept
    {
        try {
            if (!has_record_of_world())
                report_alone();
            else if (is_due_ && is_first_)
                advise("the program ended without MPI_Finalize");
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

    void advise(const std::string &why) const
    {
        const std::string folder = record_.path().substr(0, record_.path().rfind('/'));
        complain(Tool::name(),
                 why + "; records are in " + folder +
                     (has_report(Tool::name()) ? "; \"" + variables_of_qmpi_report() +
                              "qmpi_report show " + folder + "\" reports them"
                                               : ""));
    }

    Record &own_record() { return record_; }
    bool has_record_of_world() const { return is_world_ && record_.is_open(); }

    Introduction introduction() const
    {
        Introduction own = introduction_of_process();
        own.tool = Tool::name();
        const char *text = "";
        QMPIX_Get_tool_arguments(this->tool_id(), &text);
        own.arguments = text;
        own.instance = this->instance_number();
        own.instances = this->instance_count();
        own.tool_id = this->tool_id();
        own.rank = reporter_.rank;
        own.size = size_;
        own.absent = reporter_.absent;
        own.begin = begin_;
        return own;
    }

  private:
    Tool &tool() { return static_cast<Tool &>(*this); }

    /* Without a record file the tool works as with one; a crash loses what it measured. */
    void open_record(const qmpi::world &world)
    {
        const std::lock_guard<std::mutex> guard(opening_lock_);
        is_world_ = true;
        const Destination &destination = tool().destination_;
        try {
            world.agree([&] {
                open_record(
                    destination.make_record_folder(world, reporter(false), record_folder_ending));
            });
        } catch (const qmpi::world_error &error) {
            if (is_first_ && destination.wants_records())
                complain(Tool::name(), std::string("no record file: ") + error.what());
        }
        if (is_first_ && record_.limit() < limit)
            complain(Tool::name(),
                     print("address space is limited (ulimit -v); the record has at most "
                           "%zu KB",
                           record_.limit() >> 10));
    }

    void open_record(const std::string &folder)
    {
        Introduction own = introduction();
        own.folder = folder;
        record_.open(folder + "/" + std::to_string(std::max(reporter_.rank, 0)) + record_ending,
                     own);
    }

    static constexpr std::size_t limit = std::size_t{1} << 28;

    Record &record_ = *new Record(Tool::name(), limit);
    const std::string begin_ = local_time();
    Reporter reporter_; /* of the world; set while MPI initializes */
    int size_ = 1;
    bool is_first_ = false;
    bool is_world_ = false;
    std::mutex opening_lock_; /* of the record */
    std::atomic<bool> is_due_{false};
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_REPORTING_TOOL_HPP_INCLUDED */
