/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tool "messages": who sends how much to whom. Each communication call is decomposed into the
 * pairwise messages it implies (common/patterns); operations that are still pending are followed to
 * their completion (common/requests). The report is merged in MPI_Finalize. See
 * qmpi-messages(7). */

#include "options.hpp"
#include "records.hpp"
#include "report.hpp"

#include "../common/communicators.hpp"
#include "../common/patterns.hpp"
#include "../common/process.hpp"
#include "../common/reporting_tool.hpp"
#include "../common/requests.hpp"
#include "../common/selection.hpp"

#include <qmpi.hpp>

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <utility>

namespace qmpi::messages {
namespace {

class Messages : public ReportingTool<Messages> {
  public:
    static constexpr const char *description =
        "who sends how much to whom: calls as messages between two processes";
    using Options = messages::Options;

    static constexpr auto functions = qmpi::set::point_to_point | qmpi::set::collective |
        qmpi::set::partitioned | qmpi::set::rma | qmpi::set::completion |
        Communicators::functions();

    ~Messages() { report_at_end(); }

    template <typename Call>
    auto intercept(Call &call)
    {
        if constexpr (uses_requests<Call>())
            return complete(call);
        else if constexpr (communicates<Call>())
            return communicate(call);
        else
            return communicators_.watch(call);
    }

    /* 0: off; 1: on, phase 1; 2: reset; others: on, that phase, or further_phases if there are many */
    int MPI_Pcontrol(qmpi::call<MPI_PCONTROL_T> &call, int level, qmpi::varargs)
    {
        if (level == 2) {
            for (Table &table : tables_)
                table.clear();
        } else {
            is_on_ = level != 0;
            if (level > 0 && level != phase_)
                phase_ = phases_.add(level);
        }
        return call();
    }

  private:
    friend class ReportingTool<Messages>;

    /* A program may pass the number of its step as level: what is kept must not grow with it. */
    class Phases {
      public:
        int add(int phase)
        {
            const std::lock_guard<std::mutex> guard(lock_);
            if (phases_.size() < max_phases)
                phases_.insert(phase);
            return phases_.count(phase) > 0 ? phase : further_phases;
        }

      private:
        static constexpr std::size_t max_phases = 256;
        static constexpr int further_phases = 0;

        std::mutex lock_;
        std::set<int> phases_{1};
    };

    /* ---- recording ---- */

    template <typename Call>
    auto communicate(Call &call)
    {
        using qmpi::role;
        constexpr bool is_persistent = movement::is_persistent(Call::form);
        constexpr bool is_enqueued = Call::form == qmpi::form::enqueued;
        constexpr bool receives = movement::has_received_status<Call>();
        if (!options_.functions.contains(Call::id))
            return communicators_.watch(call);

        Operation operation{Call::id, phase_, kind_of<Call>(), receives, is_on_, 0, nullptr,
                            {},       {}};
        operation.communicator = communicators_.used_by(call);
        const movement::Description description = movement::describe(call);
        MPI_Status own_status;
        if constexpr (Call::has(role::status)) {
            if (qmpi::get<role::status>(call) == MPI_STATUS_IGNORE)
                qmpi::get<role::status>(call) = &own_status;
        }
        operation.begin = now();
        const int error_code = communicators_.watch(call);
        if (error_code != MPI_SUCCESS || !(is_on_ || is_persistent))
            return error_code;
        const std::uint64_t end = now();

        operation.communicator = communicators_.used_by(call, std::move(operation.communicator));
        if (operation.communicator == nullptr)
            return error_code;
        operation.parts = parts_of(description, *operation.communicator);
        if constexpr (receives || (is_enqueued && Call::has(role::source)))
            operation.described = movement::described_receive(call);
        if constexpr (receives)
            operation.receives_message = operation.described.source != MPI_PROC_NULL;

        if constexpr (is_persistent)
            requests_.add_persistent(*qmpi::get<role::request>(call), std::move(operation));
        else if constexpr (Call::has(role::request) && !is_enqueued)
            requests_.add(*qmpi::get<role::request>(call), std::move(operation));
        else {
            movement::Received received = operation.described;
            if constexpr (receives)
                received = movement::received_by(*qmpi::get<role::status>(call), received);
            add_received(operation.parts, received, *operation.communicator);
            note(operation, operation.parts, end);
        }
        return error_code;
    }

    template <typename Call>
    auto complete(Call &call)
    {
        std::uint64_t time = 0;
        return qmpi::complete(call, requests_,
                              [&](Operation &operation, const MPI_Status *status, Outcome outcome) {
                                  if (time == 0)
                                      time = now();
                                  follow(operation, status, outcome, time);
                              });
    }

    void follow(Operation &operation, const MPI_Status *status, Outcome outcome, std::uint64_t time)
    {
        switch (outcome) {
        case Outcome::starting:
            operation.begin = time;
            operation.phase = phase_;
            operation.is_recorded = is_on_;
            break;
        case Outcome::completed: {
            Parts parts = operation.parts;
            if (operation.receives_message)
                add_received(parts, movement::received_by(*status, operation.described),
                             *operation.communicator);
            note(operation, parts, time);
            break;
        }
        case Outcome::freed:
            /* The send will complete; what the receive gets stays unknown. */
            if (operation.receives_message)
                table().add_unfinished(own_record(), operation);
            note(operation, operation.parts, time);
            break;
        case Outcome::started:
        case Outcome::cancelled:
        case Outcome::failed:
            break;
        }
        if (outcome != Outcome::starting && outcome != Outcome::started)
            operation.is_recorded = false; /* it is not unfinished, even if its request stays */
    }

    void note(const Operation &operation, const Parts &parts, std::uint64_t end)
    {
        if (!operation.is_recorded)
            return;
        table().add(own_record(), operation, parts, end);
    }

    Table &table()
    {
        static std::atomic<unsigned> threads{0};
        static thread_local const unsigned number = threads++;
        return tables_[number % tables_.size()];
    }

    /* ---- reporting ---- */

    State state(bool is_alone)
    {
        State state(heading_of(introduction(), is_alone).rows.block);
        requests_.each([&state](MPI_Request, Operation &operation, bool is_active) {
            if (is_active && operation.is_recorded)
                state.add_unfinished(operation);
        });
        std::array<std::unique_lock<std::mutex>, tables> guards;
        for (std::size_t i = 0; i < tables; i++)
            guards[i] = std::unique_lock<std::mutex>(tables_[i].lock);
        state.add(own_record().view(), reporter(is_alone).rank);
        return state;
    }

    bool write(const State &state, const Reporter &reporter)
    {
        if (reporter.is_alone && state.functions.empty())
            return true;
        Heading heading = heading_of(introduction(), reporter.is_alone);
        heading.end = local_time();
        heading.seconds = seconds(now() - begin_);
        if (reporter.is_alone) {
            for (const Entry &entry : state.entries)
                heading.rows.number = std::max({heading.rows.number, entry.from + 1, entry.to + 1});
        }
        return destination_.write(reporter, report_maker(state, std::move(heading)));
    }

    const Options options_{arguments()};
    const Destination destination_{*this, options_};
    const std::uint64_t begin_ = now();

    /* Never destroyed: other threads may be in a call when the process exits. */
    Communicators &communicators_ = *new Communicators;
    Requests<Operation> &requests_ = *new Requests<Operation>;
    static constexpr std::size_t tables = 8;
    std::array<Table, tables> &tables_ = *new std::array<Table, tables>;
    Phases &phases_ = *new Phases;
    std::atomic<bool> is_on_{true};
    std::atomic<int> phase_{1};
};

}  // namespace
}  // namespace qmpi::messages

QMPI_TOOL("messages", qmpi::messages::Messages)
