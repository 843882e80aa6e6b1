/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "check": finds errors in the use of MPI. The manual page qmpi-check(7) has the list of
 * findings and the limits.
 *
 * A process checks handles, memory of pending operations and epochs locally. Everything else it
 * sends to the analyser in rank 0, along a tree of hosts, or without MPI_COMM_WORLD directly. The
 * first calls of each call site wait for its answer, so that a finding is printed even if the program
 * does not survive the call.
 *
 * This file dispatches calls to the rules, and begins and ends the analysis. */

#include "arguments.hpp"
#include "collectives.hpp"
#include "fatal_errors.hpp"
#include "findings.hpp"
#include "functions.hpp"
#include "handle_rules.hpp"
#include "local_process.hpp"
#include "messages.hpp"
#include "one_sided.hpp"
#include "operations.hpp"
#include "options.hpp"
#include "point_to_point.hpp"
#include "recorder.hpp"
#include "relay.hpp"
#include "report.hpp"
#include "server.hpp"
#include "sites.hpp"
#include "statement.hpp"
#include "suppressions.hpp"
#include "thread_rules.hpp"
#include "tree.hpp"
#include "waiting.hpp"

#include "../common/process.hpp"
#include "../common/quiet_thread.hpp"
#include "../common/reporting_tool.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace qmpi::check {
namespace {

/* A process whose exit handlers have ended the tool in a world that is not finalized. Older handlers, and
 * destructors of the program, run later and may still call MPI_Finalize: if not, the finding is made after
 * all of them. The processes wait for each other, as mpiexec kills the others when the first one has
 * ended. */
struct Unfinished {
    void end()
    {
        int is_finalized = 0;
        QMPI_Finalized(&is_finalized);
        if (is_finalized)
            return end_connections();
        process.found(Kind::unfinished, begin, "the process ended without MPI_Finalize");
        const bool is_first = server != nullptr;
        process.report(Event::left, !is_first);
        process.flush();
        if (is_first) {
            server->settle();
            server->stop();
            report_at_end();
            server->let_all_go();
        }
        end_connections();
    }

    void end_connections()
    {
        if (relay != nullptr)
            relay->finish(std::chrono::seconds(1));
        server = nullptr;
    }

    LocalProcess &process;
    Position begin; /* MPI_Init */
    std::unique_ptr<Server> server;
    std::unique_ptr<Relay> relay;
    std::function<void()> report_at_end; /* of rank 0 */
};

/* By instance. Never destroyed. */
std::vector<Unfinished> &unfinished()
{
    static auto &all = *new std::vector<Unfinished>;
    return all;
}

/* After the exit handlers */
__attribute__((destructor)) void end_unfinished()
{
    for (Unfinished &one : unfinished())
        one.end();
}

class Check : public ReportingTool<Check> {
  public:
    static constexpr const char *description =
        "finds errors: mismatches, overlaps, leaks, freed handles, deadlocks";
    using Options = check::Options;

    /* Everything that uses a handle, or initialises or finalises. */
    static constexpr auto functions =
        (qmpi::set::all - qmpi::set::tool_information - (qmpi::set::environment - makers)) |
        qmpi::function_set(MPI_INIT_T, MPI_INIT_THREAD_T, MPI_FINALIZE_T, MPI_ABORT_T,
                           MPI_SESSION_INIT_T, MPI_SESSION_FINALIZE_T,
                           MPI_GROUP_FROM_SESSION_PSET_T, MPI_COMM_CREATE_FROM_GROUP_T);

    Check()
    {
        for (std::size_t i = 0; i < number_of_kinds; i++)
            findings_.choose(static_cast<Kind>(i), options_.wanted[i]);
        if (options_.strict)
            process_.types.distinguish();
        if (suppressions_.is_empty())
            return;
        findings_.suppress([this](const Finding &finding) { return suppressions_.match(finding); });
        recorder_.suppressed_by(suppressions_.written());
    }

    ~Check()
    {
        waiting_.stop();
        if (is_in_job_) {
            end_job();
            return;
        }
        const bool is_alone = process_.rank() < 0;
        const bool is_unfinished = !is_alone && !is_reported_;
        const bool has_record = own_record().is_open();
        if (is_unfinished && has_record && server_ != nullptr)
            advise("the program ended without MPI_Finalize");
        /* Else a call has ended the program, because of an error. */
        if (is_unfinished && !is_aborting_ && !recorder_.is_in_call()) {
            end_later();
            return;
        }
        settle();
        if (is_alone ? !has_sessions_ : server_ == nullptr)
            return;
        if (is_unfinished && has_record)
            return;
        const bool is_complete = !is_aborting_; /* leaks are no fault of a process that aborts */
        if (is_alone && is_complete && handle_rules_.live_sessions() == 0)
            find_leaks();
        bool has_new_leaks = false;
        if (is_complete && (is_alone || is_reported_))
            has_new_leaks = handle_rules_.find_leaks_of_process();
        const bool is_outdated = has_new_leaks || has_late_finding_;
        bool is_written = true;
        if (is_alone || !is_reported_ || is_outdated)
            is_written = report(is_alone);
        if (is_alone && is_written)
            own_record().remove();
        else if (is_alone && own_record().is_open())
            advise(unwritten);
    }

    template <typename Call>
    auto intercept(Call &call)
    {
        if constexpr (!Call::returns_error_code)
            return call();
        else {
            Recorder::Call current(recorder_, call);
            const bool is_nested = current.is_inner();
            const Here here{call.context(), Call::id};
            if constexpr (needs_library<Call>()) {
                if (!is_up_.load(std::memory_order_relaxed) && !find_up(here))
                    return call();
            }
            if constexpr (Call::id == MPI_INIT_T || Call::id == MPI_INIT_THREAD_T) {
                begin_ = process_.position(here);
                waiting_.begin_init();
            }
            if constexpr (Call::id == MPI_SESSION_INIT_T) {
                if (!has_sessions_.exchange(true) && process_.rank() < 0)
                    waiting_.begin_init();
            }
            if constexpr (Call::id == MPI_FINALIZE_T)
                return finalize(call, here);
            else {
                const auto freed = handle_rules_.freed_by(call);
                bool has_effect = true;
                if (!is_nested) {
                    handle_rules_.check(call, here);
                    has_effect = arguments_.check(call, here);
                }
                /* Other processes cannot know the order of what callbacks send. */
                else if constexpr (is_collective<Call>()) {
                    if (!collectives_.is_alone(call))
                        process_.distrust("a callback communicates");
                } else if constexpr (is_message<Call>())
                    process_.distrust("a callback communicates");
                /* Without effect, no rule has to follow it. */
                const int error_code =
                    is_nested || !has_effect ? operations_.go(call) : enter(call, here);
                if (error_code == MPI_SUCCESS || has_unmatched_messages(Call::id, error_code)) {
                    if (!has_effect)
                        process_.distrust("the library has accepted an invalid argument");
                    fatal_errors_.follow(call);
                    handle_rules_.follow(call, here, freed);
                    arguments_.follow(call);
                    follow_end(call);
                    if (!is_nested)
                        follow_join(call, here);
                }
                if constexpr (is_test<Call>()) {
                    if (error_code == MPI_SUCCESS && has_found_nothing(call))
                        current.polled();
                }
                if constexpr (has_request<Call>()) {
                    if (is_nested || !has_effect || Call::form == qmpi::form::enqueued)
                        operations_.lose_requests();
                }
                if (error_code != MPI_SUCCESS) {
                    handle_rules_.follow_failure(call);
                    fatal_errors_.raise(error_code);
                }
                return error_code;
            }
        }
    }

    void at_world_begin(const qmpi::world &world)
    {
        ReportingTool::at_world_begin(world);
        fatal_errors_.begin();
        thread_rules_.begin();
        if (is_in_job_) {
            process_.enter(world, 0);
            return;
        }
        members_ = world.size();
        begin_analysis(world);
    }

    std::string offer_to_spawned() { return is_compared_ ? root_ : ""; }

    void at_spawned(const qmpi::spawned &processes)
    {
        root_ = processes.offer();
        if (root_.empty())
            return;
        try {
            entrance_ =
                Entrance::of({processes.world(), processes.size()}, address_of(processes.offer()));
        } catch (const std::exception &error) {
            root_.clear();
            complain(name(), std::string(error.what()) + unjoined);
        }
    }

    std::string offer_to_job(int size)
    {
        make_server(size);
        try {
            return text_of(server_->listen(false, size));
        } catch (const std::exception &error) {
            complain(name(), std::string(error.what()) + "; processes are not compared");
            server_ = nullptr;
            return "";
        }
    }

    void at_job_begin(const qmpi::job &job)
    {
        if (*job.offer() == '\0')
            return;
        if (server_ != nullptr) {
            absent_ = job.absent();
            for (int i = 0; i < job.size(); i++) {
                if (job.has(i))
                    members_ += i > 0;
                else
                    server_->exclude(i);
            }
            server_->start();
        }
        process_.enter(job);
        is_in_job_ = is_compared_ = true;
        root_ = job.offer();
        try {
            process_.connect(address_of(root_));
        } catch (const std::exception &error) {
            is_compared_ = false;
            complain(name(), std::string(error.what()) + "; the process is not compared");
        }
        begin_process(1);
    }

    /* Rank 0 gets the numbers of calls, and the findings that the analyser does not have. */
    void at_world_end(const qmpi::world &world)
    {
        if (is_in_job_)
            return;
        Statement own = Statement::of(own_record().view(), process_.rank(), host_name());
        if (is_compared_ || world.rank() == 0)
            own.findings = FindingSet();
        const bool is_merged = merge_to_root(world.comm(), own);
        are_findings_merged_ = is_merged && !is_compared_;
        find_unreceived(world);
        if (world.rank() != 0)
            return;
        if (has_joined_) {
            send(own);
            return;
        }
        findings_.merge(own.findings);
        const std::lock_guard<std::mutex> guard(writing_lock_);
        merged_ = std::move(own);
    }

    void at_abort()
    {
        is_aborting_ = true;
        settle();
        if (has_record_of_world())
            advise("MPI_Abort was called");
        await_stderr();
    }

  private:
    friend class ReportingTool<Check>;

    template <typename Call>
    int enter(Call &call, const Here &here)
    {
        const ThreadRules::Call current_thread(thread_rules_, here, ThreadRules::concern<Call>());
        if constexpr (!may_wait<Call>())
            return dispatch(call, here);
        else {
            const LocalProcess::Call current(process_);
            return dispatch(call, here);
        }
    }

    template <typename Call>
    int dispatch(Call &call, const Here &here)
    {
        if constexpr (joins_worlds<Call>())
            process_.introduce();
        if constexpr (may_order_by_name_or_file<Call>())
            follow_order(call);
        if constexpr (is_collective_on_file<Call>())
            collectives_.use_file(call, here);
        if constexpr (Call::id == MPI_ABORT_T) {
            process_.distrust("MPI_Abort was called", false);
            return call();
        } else if constexpr (Call::id == MPI_SESSION_FINALIZE_T) {
            const bool is_last = !process_.has_world() && handle_rules_.live_sessions() == 1;
            Expected end;
            end.kind = is_in_job_ ? Completion::end : Completion::unknown;
            end.number = static_cast<std::uint64_t>(process_.size());
            end.peer = process_.rank();
            const Blocked blocked(waiting_, {process_.position(here), true, {end}});
            const int error_code = operations_.go(call);
            /* with strict_finalize it fails while there are communicators, and can be called again */
            if (is_last && error_code == MPI_SUCCESS)
                handle_rules_.find_leaks_of_session(here);
            return error_code;
        } else if constexpr (Call::id == MPI_CANCEL_T) {
            operations_.cancel(*qmpi::get<qmpi::role::request>(call), here);
            return operations_.go(call);
        } else if constexpr (Call::id == MPI_REQUEST_FREE_T) {
            operations_.free(*qmpi::get<qmpi::role::request>(call), here);
            return operations_.go(call);
        } else if constexpr (Call::operation == qmpi::operation::ready)
            return operations_.ready(call, here);
        else if constexpr (Call::operation == qmpi::operation::arrived)
            return operations_.arrived(call, here);
        else if constexpr (Call::is_in(qmpi::set::completion) && has_request<Call>())
            return operations_.start(call, here); /* a generalized request */
        else if constexpr (Call::is_in(qmpi::set::completion))
            return operations_.wait(call, here);
        else if constexpr (empties_buffer<Call>()) {
            const Blocked blocked(waiting_, {process_.position(here), true, messages_.buffered()});
            const int error_code = operations_.go(call);
            if (error_code == MPI_SUCCESS)
                messages_.delivered();
            return error_code;
        } else if constexpr (is_message<Call>())
            return point_to_point_.intercept(call, here);
        else if constexpr (is_matched_receive<Call>())
            return point_to_point_.receive_matched(call, here);
        else if constexpr (is_collective<Call>()) {
            const int error_code = collectives_.intercept(call, here);
            if (error_code == MPI_SUCCESS)
                one_sided_.follow_window(call);
            return error_code;
        } else if constexpr (is_one_sided<Call>())
            return one_sided_.intercept(call, here);
        else if constexpr (has_request<Call>() && Call::form != qmpi::form::enqueued)
            return operations_.start(call, here);
        else
            return operations_.go(call);
    }

    /* The process may learn by the call of what others have done. */
    template <typename Call>
    void follow_order(Call &call)
    {
        if constexpr (Call::id == MPI_FILE_SET_ATOMICITY_T) {
            if (!qmpi::get<qmpi::role::flag>(call))
                return;
        }
        (void) call;
        process_.lose_order(function_name(Call::id));
    }

    /* False if MPI is not initialized, or finalized: the library ends the program in the call. */
    bool find_up(const Here &here)
    {
        const bool is_up = is_world_up() || handle_rules_.live_sessions() > 0;
        is_up_ = is_up;
        if (!is_up) {
            has_late_finding_ = is_reported_;
            int is_finalized = 0;
            QMPI_Finalized(&is_finalized);
            process_.found(Kind::argument, process_.position(here),
                           is_finalized        ? "called after MPI_Finalize"
                               : has_sessions_ ? "called without a session"
                                               : "called before MPI_Init");
        }
        return is_up;
    }

    /* Notes delete callbacks, which decide when to look for leaks, and that the library may be down. */
    template <typename Call>
    void follow_end([[maybe_unused]] Call &call)
    {
        if constexpr (Call::id == MPI_SESSION_FINALIZE_T)
            is_up_ = false;
        if constexpr (Call::id == MPI_COMM_SET_ATTR_T || Call::id == MPI_ATTR_PUT_T) {
            if (qmpi::get<qmpi::role::communicator>(call) == MPI_COMM_SELF)
                has_callbacks_ = true;
        }
    }

    /* ---- start ---- */

    /* Connects all processes to the analyser, or none: to that of the processes that have spawned them,
     * or to one in rank 0 of the world. */
    void begin_analysis(const qmpi::world &world)
    {
        has_joined_ = is_spawned() && join(world);
        process_.enter(world, entrance_.first);
        if (world.rank() == 0 && !has_joined_)
            make_server(world);
        is_compared_ = true; /* for reports that the analyser's thread writes */
        int processes = 1;
        try {
            Connected made = connect_hosts(world, server_.get(), std::move(entrance_),
                                           [this](const Address &hub) { process_.connect(hub); });
            relay_ = std::move(made.relay);
            processes = made.processes;
            if (!has_joined_)
                root_ = text_of(made.first);
        } catch (const qmpi::world_error &error) {
            is_compared_ = has_joined_ = false;
            if (world.rank() == 0) {
                make_server(world);
                complain(name(), std::string(error.what()) + "; processes are not compared");
            }
        }
        begin_process(processes);
    }

    /* processes: of this host, or 1 if their number is not known */
    void begin_process(int processes)
    {
        process_.begin(is_compared_);
        waiting_.start(options_.deadlock != OnDeadlock::ignore, processes);
    }

    /* True if the processes join the analysis of those that have spawned them. */
    bool join(const qmpi::world &world)
    {
        const bool is_whole = world.size() == world.program_size();
        std::string joined;
        try {
            joined = world.share(is_whole && entrance_.socket.is_open()
                                     ? std::to_string(entrance_.first) + " " + root_
                                     : "");
        } catch (const qmpi::world_error &) {
            /* not joined */
        }
        if (joined.empty()) {
            if (entrance_.socket.is_open())
                complain(name(), std::string("not all of them have this tool") + unjoined);
            entrance_ = Entrance();
            return false;
        }
        root_ = joined.substr(joined.find(' ') + 1);
        entrance_.first = std::stoi(joined);
        return true;
    }

    void make_server(const qmpi::world &world)
    {
        make_server(world.program_size());
        for (int i = 0; i < world.program_size(); i++) {
            if (!world.has(i))
                server_->exclude(i);
        }
    }

    void make_server(int size)
    {
        server_ = std::make_unique<Server>(size, options_.timeout,
                                           options_.deadlock != OnDeadlock::ignore, findings_,
                                           recorder_, [this] { end_job_on_deadlock(); });
        /* The job may be killed: write the report after each new finding. */
        if (destination_.has_files())
            findings_.when_new([&writing = writing_] {
                const std::lock_guard<std::mutex> guard(writing.lock);
                writing.write();
            });
    }

    /* ---- end ---- */

    template <typename Call>
    int finalize(Call &call, const Here &here)
    {
        const bool is_in_world = process_.has_world();
        thread_rules_.check_end(here);
        /* Normally before the call, as leaks may make the library fail. But delete callbacks on
         * MPI_COMM_SELF run inside the call and may still free handles. Those of a session may
         * outlive the call. */
        const bool has_callbacks = has_callbacks_;
        const bool has_session = handle_rules_.live_sessions() > 0;
        if (is_in_world && has_session)
            recorder_.omitted({process_.rank(),
                               "leaks, pending requests and messages that are not received",
                               "a session was open in MPI_Finalize"});
        else if (is_in_world && !has_callbacks && !is_in_job_)
            find_leaks();
        fatal_errors_.end();
        const int error_code = [&] {
            const LocalProcess::Call current(process_);
            CollectiveEvent event;
            const Position position = event.position = process_.position(here);
            const Expected expected = collectives_.report(
                is_in_world ? process_.communicator(MPI_COMM_WORLD) : nullptr, std::move(event));
            const Blocked blocked(waiting_, {position, true, {expected}});
            return call();
        }();
        is_up_ = false;
        if (error_code != MPI_SUCCESS || !is_in_world || is_in_job_)
            return error_code;
        if (has_callbacks && !has_session)
            find_leaks();
        end_analysis(has_callbacks);
        is_reported_ = true;
        return error_code;
    }

    /* At the end of the process, as no MPI_Session_finalize is known to be the last. */
    void end_job()
    {
        if (!is_aborting_) { /* leaks are no fault of a process that aborts */
            if (handle_rules_.live_sessions() == 0)
                find_leaks();
            handle_rules_.find_leaks_of_process();
        }
        Statement own = Statement::of(own_record().view(), process_.rank(), host_name());
        own.findings = FindingSet();
        send(own);
        end_analysis(false);
    }

    void send(const Statement &own)
    {
        Writer writer;
        own.write(writer);
        process_.report(Event::statement, StatementEvent{writer.take()}, false);
    }

    /* A record is removed when its findings are in the written report, or in the hands of rank 0 if
     * there is no analyser. */
    void end_analysis(bool has_late_findings)
    {
        waiting_.stop();
        const bool is_first = server_ != nullptr;
        if (handle_rules_.live_sessions() == 0)
            process_.report(Event::silent, false);
        const bool is_answered = process_.report(
            is_in_job_ || has_joined_ ? Event::exited : Event::finalized, !is_first);
        process_.flush();
        bool is_written = false;
        if (is_first) {
            if (is_compared_)
                server_->finish(is_aborting_ ? std::chrono::seconds(0) : longest_wait);
            add_others();
            is_written = report(false);
            server_->dismiss();
        }
        if (relay_ != nullptr)
            relay_->finish(longest_wait);
        process_.disconnect();
        if (is_first ? is_written : is_answered || (are_findings_merged_ && !has_late_findings))
            own_record().remove();
        else if (own_record().is_open())
            advise(is_first ? unwritten : "rank 0 has not answered");
    }

    /* The process may end without MPI_Finalize, and the job with it: the analyser gets what it has not. */
    void settle()
    {
        if (is_reported_ || !process_.is_connected())
            return;
        process_.flush();
        if (server_ != nullptr)
            server_->settle();
    }

    /* See Unfinished. What the analyser's thread writes meanwhile must not need this object. */
    void end_later()
    {
        std::function<void()> report_at_end;
        if (server_ != nullptr) {
            server_->ignore_deadlocks();
            const std::lock_guard<std::mutex> guard(writing_.lock), own_guard(writing_lock_);
            writing_.write = [draft = draft(false, ""), &findings = findings_] {
                draft.write(findings);
            };
            const bool has_record = own_record().is_open();
            Draft last = draft(false, has_record ? "" : local_time());
            last.status = options_.status;
            const bool is_written = !has_record || destination_.has_files();
            report_at_end = [last = std::move(last), is_written, &findings = findings_] {
                is_written ? (void) last.write(findings) : last.decide_status(findings);
            };
        }
        unfinished().push_back(
            {process_, begin_, std::move(server_), std::move(relay_), std::move(report_at_end)});
    }

    /* Adds to the report the statements of processes that are not in the world. */
    void add_others()
    {
        Writer writer;
        server_->statement().write(writer);
        const std::string bytes = writer.take();
        Reader reader(bytes);
        const std::lock_guard<std::mutex> guard(writing_lock_);
        merged_.merge(reader);
        for (const int rank : server_->unfinished())
            recorder_.omitted({rank, "leaks, pending requests and messages that are not received",
                               "MPI_Finalize had not been called when rank 0 ended"});
    }

    /* Collective. Before MPI_Finalize itself, which ends the job in MPICH 5.0.1 if a message is left.
     * Delete callbacks on MPI_COMM_SELF, which run inside it, may still receive, and so may the
     * program if it has a session. */
    void find_unreceived(const qmpi::world &world)
    {
        if (!is_compared_)
            return;
        const bool is_silent = !has_callbacks_ && handle_rules_.live_sessions() == 0;
        if (is_silent)
            process_.report(Event::silent, true);
        if (!all_of(world.comm(), is_silent))
            return;
        if (server_ != nullptr)
            server_->find_unreceived();
        if (world.size() > 1)
            await([&](MPI_Request *request) { return QMPI_Ibarrier(world.comm(), request); });
    }

    void find_leaks()
    {
        handle_rules_.find_leaks();
        operations_.find_unfinished();
        if (process_.types.has_long())
            process_.omit(omitted_types, "a datatype changes its basic type too often");
    }

    bool report(bool is_alone)
    {
        if (server_ != nullptr)
            server_->stop();
        return write(is_alone, local_time());
    }

    /* A process that fails keeps its status. Handlers may call exit in glibc: the others still run, and
     * the last status counts (stdlib/exit.c). */
    static void fail_exit(int status, void *own)
    {
        if (status == 0)
            std::exit(static_cast<int>(reinterpret_cast<std::intptr_t>(own)));
    }

    /* A report without the findings. */
    struct Draft {
        Reporter reporter;
        Destination destination;
        Statement statement;
        Heading heading;
        int status; /* of the process if there are findings; 0: its own */

        Statement with(const Findings &findings) const
        {
            Statement whole = statement;
            whole.findings = findings.all();
            return whole;
        }

        void decide_status(const Findings &findings) const
        {
            if (status != 0 && !with(findings).shown().empty())
                on_exit(fail_exit, reinterpret_cast<void *>(std::intptr_t{status}));
        }

        /* Returns false if a file could not be written. */
        bool write(const Findings &findings) const
        {
            decide_status(findings);
            const Statement whole = with(findings);
            return destination.write(
                reporter, [&](Format format) { return report_of(whole, heading, format); });
        }
    };

    bool write(bool is_alone, const std::string &end)
    {
        const std::lock_guard<std::mutex> guard(writing_lock_);
        return draft(is_alone, end).write(findings_);
    }

    /* With the lock. end: empty while the job runs, else findings decide the exit status. */
    Draft draft(bool is_alone, const std::string &end)
    {
        const Reporter reporter = this->reporter(is_alone);
        Statement statement = merged_;
        Statement own = Statement::of(own_record().view(), process_.rank(), host_name());
        statement.omit(own.omissions); /* those of the analyser */
        statement.suppressions = suppressions_;
        statement.absent = is_in_job_ ? absent_ : reporter.absent;
        statement.has_ended = true;
        if (server_ != nullptr)
            statement.spawned = server_->spawned();
        if (is_alone) {
            statement.processes = std::move(own.processes);
            statement.incomparable = no_analyser;
        } else if (!is_compared_)
            statement.incomparable = "no connection to rank 0";
        statement.unwanted = options_.unwanted();
        Heading heading{introduction(), end,
                        is_alone ? 1 : members_ + static_cast<int>(statement.spawned.size()),
                        is_alone};
        heading.introduction.rank = process_.rank();
        heading.introduction.size = process_.size();
        heading.introduction.absent = statement.absent;
        return {reporter, destination_, std::move(statement), std::move(heading),
                end.empty() ? 0 : options_.status};
    }

    /* Called by the analyser's thread while the program's threads are in calls that do not return. The
     * thread that ends the job calls MPI_Abort of the library, so that all tools report; the analyser
     * still answers them. MPICH needs no thread support for that: at MPI_THREAD_MULTIPLE a waiting call
     * releases the lock, and otherwise there is none. */
    void end_job_on_deadlock()
    {
        if (options_.deadlock != OnDeadlock::abort || has_aborted_)
            return;
        has_aborted_ = true;
        write_stderr("QMPI check: ending the job (deadlock=abort)\n");
        quiet_thread([status = std::max(options_.status, 1)] {
            await_stderr();
            MPI_Abort(MPI_COMM_WORLD, status);
            _exit(status);
        }).detach();
    }

    template <typename Call>
    void follow_join([[maybe_unused]] Call &call, [[maybe_unused]] const Here &here)
    {
        constexpr std::size_t made = Communicators::makes<Call>(qmpi::role::communicator);
        if constexpr (joins_worlds<Call>())
            collectives_.join(*call.template argument<made>(), join_of_worlds, here);
        else if constexpr (Call::id == MPI_INTERCOMM_CREATE_T)
            collectives_.join(*call.template argument<made>(), Call::id, here);
        else if constexpr (Call::id == MPI_INIT_T || Call::id == MPI_INIT_THREAD_T) {
            MPI_Comm parent = MPI_COMM_NULL;
            if (QMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL)
                collectives_.join(parent, join_of_worlds, here);
        }
    }

    /* Stands for all functions that do this. */
    static constexpr int join_of_worlds = MPI_COMM_JOIN_T;
    static constexpr const char *unjoined =
        "; spawned processes are not compared with those that have spawned them";

    const Options options_{arguments()};
    const Destination destination_{*this, options_};
    const Suppressions suppressions_ =
        options_.suppress.empty() ? Suppressions() : Suppressions::of_file(options_.suppress);

    /* Never destroyed: other threads may be in a call when the process exits. */
    Findings &findings_ = *new Findings;
    Sites &sites_ = *new Sites;
    Recorder &recorder_ = *new Recorder(own_record(), instance_number(), sites_);
    LocalProcess &process_ = *new LocalProcess(findings_, recorder_, sites_);
    ThreadRules &thread_rules_ = *new ThreadRules(process_);
    Waiting &waiting_ = *new Waiting(process_);
    Messages &messages_ = *new Messages(process_);
    Operations &operations_ = *new Operations(process_, messages_, waiting_);
    PointToPoint &point_to_point_ = *new PointToPoint(process_, messages_, operations_, waiting_);
    Collectives &collectives_ = *new Collectives(process_, operations_, waiting_);
    OneSided &one_sided_ = *new OneSided(process_, operations_, waiting_);
    HandleRules &handle_rules_ = *new HandleRules(process_);
    Arguments &arguments_ = *new Arguments(process_);
    FatalErrors &fatal_errors_ = *new FatalErrors;

    /* By the analyser's thread */
    struct Writing {
        std::mutex lock;
        std::function<void()> write;
    };
    Writing &writing_ = *new Writing{{}, [this] { write(false, ""); }};

    /* For other processes, in MPI_Finalize */
    static constexpr auto longest_wait = std::chrono::seconds(10);

    std::atomic<bool> is_up_{false}; /* see find_up() */
    std::atomic<bool> has_sessions_{false};
    std::atomic<bool> has_callbacks_{false}; /* attributes of MPI_COMM_SELF */
    std::atomic<bool> is_compared_{false};   /* there is an analyser */
    std::atomic<bool> is_in_job_{false};     /* the analyser is that of a job with sessions */
    std::atomic<bool> has_joined_{false};    /* it is that of the processes that spawned this one */
    std::atomic<bool> is_aborting_{false};
    bool are_findings_merged_ = false;
    bool is_reported_ = false;
    std::atomic<bool> has_late_finding_{false}; /* after the report */
    bool has_aborted_ = false;                  /* of the analyser's thread */
    Position begin_;                            /* MPI_Init */
    std::mutex writing_lock_;                   /* protects the following */
    Statement merged_;               /* of the processes that have reported, without findings */
    int members_ = 1;                /* processes that have the instance */
    std::string absent_;             /* of the job: those that have not */
    std::string root_;               /* address of the analyser; empty if there is none */
    Entrance entrance_;              /* of rank 0 of a spawned world */
    std::unique_ptr<Server> server_; /* rank 0 only, unless it has joined another analysis */
    std::unique_ptr<Relay> relay_;   /* the first process of another host */
};

}  // namespace
}  // namespace qmpi::check

QMPI_TOOL("check", qmpi::check::Check)
