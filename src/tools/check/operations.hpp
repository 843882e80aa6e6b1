/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Operations with a request: buffers in use while pending, and requests never completed. */

#ifndef TOOLS_CHECK_OPERATIONS_HPP_INCLUDED
#define TOOLS_CHECK_OPERATIONS_HPP_INCLUDED

#include "functions.hpp"
#include "local_process.hpp"
#include "messages.hpp"
#include "significance.hpp"
#include "waiting.hpp"

#include "../common/requests.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace qmpi::check {

/* Thread-safe. */
class Operations {
  public:
    Operations(LocalProcess &process, Messages &messages, Waiting &waiting)
        : process_(process), messages_(messages), waiting_(waiting)
    {
    }

    /* Makes the call, and follows the communicators and requests that it creates, starts, completes
     * and frees. For all calls of the program. */
    template <typename Call>
    int go(Call &call)
    {
        if constexpr (uses_requests<Call>())
            return complete(call, requests_, Visit{*this, {call.context(), Call::id}});
        else
            return process_.communicators.watch(call);
    }

    /* The same for functions that may wait for requests. */
    template <typename Call>
    int wait(Call &call, const Here &here)
    {
        constexpr bool needs_all =
            Call::request_scope() == qmpi::scope::one || Call::request_scope() == qmpi::scope::all;
        if constexpr (Call::operation == qmpi::operation::wait &&
                      Call::form == qmpi::form::blocking) {
            const Position position = process_.position(here);
            const Blocked blocked(
                waiting_,
                {position, needs_all,
                 expected_by(position, qmpi::get<qmpi::role::request>(call),
                             qmpi::get_or<qmpi::role::length>(call, 1), needs_all)});
            return go(call);
        } else if constexpr (Call::operation == qmpi::operation::status)
            return get_status(call);
        else
            return go(call);
    }

    /* The same for functions that start an operation which the rules of messages and collective
     * operations do not follow. */
    template <typename Call>
    int start(Call &call, const Here &here)
    {
        Pending pending = describe(call, here);
        return start(call, pending);
    }

    template <typename Call>
    int start(Call &call, Pending &pending)
    {
        pending.expected.emplace_back(); /* unknown peers */
        const int error_code = go(call);
        if (error_code == MPI_SUCCESS)
            add(*qmpi::get<qmpi::role::request>(call), std::move(pending));
        return error_code;
    }

    /* The same for MPI_Pready and its like. */
    template <typename Call>
    int ready(Call &call, const Here &here)
    {
        const Position position = process_.position(here);
        const MPI_Request request = qmpi::get<qmpi::role::request>(call);
        const auto mark = [&](int number) { return mark_ready(request, number, position); };
        const auto first = qmpi::get<qmpi::role::partition>(call);
        if constexpr (Call::has(qmpi::role::length)) {
            const int number = qmpi::get<qmpi::role::length>(call);
            for (int i = 0; i < number && mark(first[i]); i++)
                ;
        } else {
            const int last = qmpi::get_or<qmpi::role::partition, 1>(call, first);
            for (int i = first; i <= last && mark(i); i++)
                ;
        }
        return go(call);
    }

    /* The same for MPI_Parrived. */
    template <typename Call>
    int arrived(Call &call, const Here &here)
    {
        const MPI_Request request = qmpi::get<qmpi::role::request>(call);
        const int number = qmpi::get<qmpi::role::partition>(call);
        const bool is_valid = check_arrived(request, number, here);
        const int error_code = go(call);
        if (is_valid && error_code == MPI_SUCCESS && *qmpi::get<qmpi::role::flag>(call))
            mark_arrived(request, number);
        return error_code;
    }

    /* Partitions of the call's buffer. */
    template <typename Call>
    std::shared_ptr<Partitions> partitions_of(Call &call, const Message &message, bool are_sent)
    {
        const int number = call.template argument<Call::buffers[0].partitions>();
        if (message.peer == MPI_PROC_NULL)
            return nullptr;
        auto partitions = std::make_shared<Partitions>();
        partitions->are_sent = are_sent;
        partitions->are_done.resize(static_cast<std::size_t>(number));
        add_ranges(*partitions, message);
        return partitions;
    }

    /* Memory that a call is about to use, which is checked. */
    template <typename Call>
    Pending describe(Call &call, const Here &here)
    {
        Pending pending;
        pending.position = process_.position(here);
        std::size_t number = 0;
        call.each_buffer([&](const auto &buffer) {
            if (!uses_buffer(call, nullptr, number++))
                return;
            add_range(pending.ranges, buffer.address, static_cast<MPI_Count>(buffer.count),
                      buffer.datatype, buffer.direction != qmpi::direction::in);
        });
        check_overlaps(pending.ranges, pending.position);
        return pending;
    }

    /* Request of an operation. A persistent one is inactive until started. */
    void add(MPI_Request request, Pending &&pending);
    void add_persistent(MPI_Request request, Pending &&pending);

    /* Before MPI_Cancel. */
    void cancel(MPI_Request request, const Here &here);

    /* Before MPI_Request_free. */
    void free(MPI_Request request, const Here &here);

    /* Adds memory that an operation reads or writes. */
    void add_range(Ranges &ranges, const void *address, MPI_Count count, MPI_Datatype datatype,
                   bool is_written);

    /* Memory of an operation without a request. */
    void begin_use(Pending &pending);
    void end_use(Pending &pending);

    /* Memory of one-sided operations that have a request, too. target: or MPI_ANY_SOURCE */
    void end_use(MPI_Win window, int target);

    /* Reports memory that is about to be used and already in use. maker: of the persistent
     * operation that the call starts */
    void check_overlaps(const Ranges &ranges, const Position &position,
                        const Position *maker = nullptr);

    /* Reports an operation that writes memory which it also uses otherwise. */
    void check_own_overlaps(const Ranges &ranges, const Position &position);

    /* The program may have requests that are not followed. */
    void lose_requests() { has_unknown_ = true; }

    /* At the end: reports remaining requests and messages. */
    void find_unfinished();

  private:
    /* Of complete() */
    struct Visit {
        Operations &operations;
        Here here;

        void operator()(Pending &pending, const MPI_Status *status, Outcome outcome) const
        {
            if (outcome == Outcome::starting)
                operations.start(pending, operations.process_.position(here));
            else if (outcome != Outcome::started)
                operations.end(pending, status, outcome);
        }

        void operator()(MPI_Request request) const { operations.report_unknown(request, here); }

        void operator()(Pending &pending, WrongStart fault) const
        {
            operations.report_fault(fault == WrongStart::active
                                        ? "an active request is started"
                                        : "a request that is not persistent is started",
                                    operations.process_.position(here), pending.position);
        }
    };

    /* MPI_Request_get_status and its like: an operation may end, but its request stays. */
    template <typename Call>
    int get_status(Call &call)
    {
        using qmpi::role;
        constexpr qmpi::scope scope = Call::request_scope();
        if (requests_.is_empty())
            return go(call);
        const int number = qmpi::get_or<role::length>(call, 1);
        std::vector<MPI_Status> own_statuses;
        MPI_Status *&statuses = qmpi::get<role::status>(call);
        if (statuses == MPI_STATUSES_IGNORE) {
            own_statuses.resize(static_cast<std::size_t>(std::max(number, 1)));
            statuses = own_statuses.data();
        }
        const int error_code = go(call);
        if (error_code != MPI_SUCCESS)
            return error_code;
        const auto requests = qmpi::get<role::request>(call);
        if constexpr (scope == qmpi::scope::some) {
            const int completed = *qmpi::get<role::length, 1>(call);
            const int *indices = qmpi::get<role::index>(call);
            for (int i = 0; completed != MPI_UNDEFINED && i < completed; i++)
                end_by_status(requests[indices[i]], statuses[i]);
        } else if (!*qmpi::get<role::flag>(call))
            return error_code;
        else if constexpr (scope == qmpi::scope::one)
            end_by_status(requests, *statuses);
        else if constexpr (scope == qmpi::scope::any) {
            if (const int index = *qmpi::get<role::index>(call); index != MPI_UNDEFINED)
                end_by_status(requests[index], *statuses);
        } else {
            for (int i = 0; i < number; i++)
                end_by_status(requests[i], statuses[i]);
        }
        return error_code;
    }

    Expectations expected_by(const Position &position, const MPI_Request *requests, int number,
                             bool needs_all);
    bool shares_handle(MPI_Request request, Pending &pending);
    void add_ranges(Partitions &partitions, const Message &message);
    bool mark_ready(MPI_Request request, int number, const Position &position);
    bool check_arrived(MPI_Request request, int number, const Here &here);
    void mark_arrived(MPI_Request request, int number);
    void report_unknown(MPI_Request request, const Here &here);
    void report_fault(const std::string &fault, const Position &position, const Position &maker);
    bool waits_for_ready(const Pending &pending) const;
    void use_memory(Pending &pending);
    void release(Pending &pending, bool is_checked);
    void check_unchanged(const Pending &pending);
    void start(Pending &pending, const Position &position);
    void end(Pending &pending, const MPI_Status *status, Outcome outcome);
    void end_by_status(MPI_Request request, const MPI_Status &status);

    LocalProcess &process_;
    Messages &messages_;
    Waiting &waiting_;
    PendingMemory memory_;
    Requests<Pending> &requests_ = *new Requests<Pending>; /* never destroyed */
    std::atomic<std::uint64_t> number_of_pending_{0};
    std::atomic<bool> has_unknown_{false}; /* requests */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_OPERATIONS_HPP_INCLUDED */
