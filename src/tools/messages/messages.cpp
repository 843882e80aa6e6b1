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
#include "../common/operations.hpp"
#include "../common/patterns.hpp"
#include "../common/process.hpp"
#include "../common/reporting_tool.hpp"
#include "../common/selection.hpp"

#include <qmpi.hpp>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
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
            return communicators_->watch(call);
    }

    /* 0: off; 1: on, phase 1; 2: reset; others: on, that phase, or further_phases if there are many */
    int MPI_Pcontrol(qmpi::call<MPI_PCONTROL_T> &call, int level, qmpi::varargs)
    {
        if (level == 2) {
            for (Table &table : *tables_)
                table.clear();
        } else {
            is_on_ = level != 0;
            if (level > 0 && level != phase_)
                phase_ = phases_->add(level);
        }
        return call();
    }

  private:
    friend class ReportingTool<Messages>;

    /* A program may pass a number of its steps as level: then what is kept must not grow with it. */
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
        if (!options_.functions.contains(Call::id))
            return communicators_->watch(call);
        Start start{phase_, is_on_, communicators_->used_by(call), movement::describe(call), now()};
        return operations_.begin(
            call, [&] { return communicators_->watch(call); },
            [&](const MPI_Status *status) { return describe(call, start, status); });
    }

    /* Description of an operation, made before its call. */
    struct Start {
        int phase;
        bool is_on;
        Communicators::Shared communicator;
        movement::Description description;
        std::uint64_t begin;
    };

    /* The operation of a call that succeeded; one without a request is over, and recorded. */
    template <typename Call>
    std::optional<Operation> describe(Call &call, Start &start, const MPI_Status *status)
    {
        constexpr bool has_request = Operations<Operation>::has_request<Call>();
        constexpr bool receives = movement::has_received_status<Call>();
        const std::uint64_t end = now();
        if (!start.is_on && !movement::is_persistent(Call::form))
            return std::nullopt;
        Operation operation{Call::id, start.phase, kind_of<Call>(),
                            receives, start.is_on, start.begin,
                            nullptr,  {},          {}};
        operation.communicator = communicators_->used_by(call, std::move(start.communicator));
        if (operation.communicator == nullptr)
            return std::nullopt;
        operation.parts = parts_of(start.description, *operation.communicator);
        if constexpr (receives || (!has_request && Call::has(qmpi::role::source)))
            operation.described = movement::described_receive(call);
        operation.receives_message = receives && operation.described.source != MPI_PROC_NULL;
        if constexpr (has_request)
            return operation;
        add_received(operation.parts,
                     status == nullptr ? operation.described
                                       : movement::received_by(*status, operation.described),
                     *operation.communicator);
        note(operation, operation.parts, end);
        return std::nullopt;
    }

    template <typename Call>
    auto complete(Call &call)
    {
        std::uint64_t time = 0;
        return operations_.complete(
            call, [&](Operation &operation, const MPI_Status *status, Outcome outcome) {
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
        return (*tables_)[number % tables];
    }

    /* ---- reporting ---- */

    State state(bool is_alone)
    {
        State state(heading_of(introduction(), is_alone).rows.block);
        operations_.each([&state](Operation &operation, bool is_active) {
            if (is_active && operation.is_recorded)
                state.add_unfinished(operation);
        });
        std::array<std::unique_lock<std::mutex>, tables> guards;
        for (std::size_t i = 0; i < tables; i++)
            guards[i] = std::unique_lock<std::mutex>((*tables_)[i].lock);
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

    static constexpr std::size_t tables = 8;
    forever<Communicators> communicators_;
    Operations<Operation> operations_;
    forever<std::array<Table, tables>> tables_;
    forever<Phases> phases_;
    std::atomic<bool> is_on_{true};
    std::atomic<int> phase_{1};
};

}  // namespace
}  // namespace qmpi::messages

QMPI_TOOL("messages", qmpi::messages::Messages)
