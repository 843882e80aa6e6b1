/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Sends, receives and probes. */

#ifndef TOOLS_CHECK_POINT_TO_POINT_HPP_INCLUDED
#define TOOLS_CHECK_POINT_TO_POINT_HPP_INCLUDED

#include "functions.hpp"
#include "messages.hpp"
#include "operations.hpp"
#include "waiting.hpp"

#include <qmpi.hpp>

#include <utility>

namespace qmpi::check {

/* Thread-safe. */
class PointToPoint {
  public:
    PointToPoint(LocalProcess &process, Messages &messages, Operations &operations,
                 Waiting &waiting)
        : process_(process), messages_(messages), operations_(operations), waiting_(waiting)
    {
    }

    template <typename Call>
    int intercept(Call &call, const Here &here)
    {
        if constexpr (Call::is_in(qmpi::set::partitioned))
            return partitioned(call, here);
        else if constexpr (Call::form == qmpi::form::enqueued) {
            /* The order of streams is unknown. */
            process_.distrust("an operation is in the order of a stream");
            return operations_.go(call);
        } else {
            Pending pending;
            pending.position = process_.position(here);
            pending.communicator = process_.communicator(qmpi::get<qmpi::role::communicator>(call));
            describe(call, pending.send, pending.receive);
            add_ranges(pending);
            if constexpr (Call::is_in(qmpi::set::persistent))
                return persistent(call, pending);
            else if constexpr (Call::buffers.empty())
                return probe(call, pending);
            else if constexpr (has_request<Call>())
                return nonblocking(call, pending);
            else
                return blocking(call, pending);
        }
    }

    template <typename Call>
    int receive_matched(Call &call, const Here &here)
    {
        Pending pending = operations_.describe(call, here);
        pending.receive.exists = true;
        if (const MPI_Message *message = qmpi::get<qmpi::role::message>(call))
            pending.matched_number = messages_.receive_matched(
                pending.position, *message,
                static_cast<MPI_Count>(qmpi::get<qmpi::role::count>(call)),
                qmpi::get<qmpi::role::datatype>(call));
        int error_code;
        if constexpr (has_request<Call>())
            error_code = operations_.start(call, pending);
        else
            error_code = operations_.go(call);
        if (error_code != MPI_SUCCESS)
            messages_.failed(pending, error_code);
        return error_code;
    }

  private:
    template <typename Call>
    static void describe(Call &call, Message &send, Message &receive)
    {
        using qmpi::role;
        call.each_buffer([&](const auto &buffer) {
            const auto count = static_cast<MPI_Count>(buffer.count);
            if (Call::has(role::destination) && buffer.direction != qmpi::direction::out)
                send = {true,
                        buffer.address,
                        count,
                        buffer.datatype,
                        qmpi::get_or<role::destination>(call, MPI_PROC_NULL),
                        qmpi::get_or<role::tag>(call, 0)};
            if (Call::has(role::source) && buffer.direction != qmpi::direction::in)
                receive = {true,
                           buffer.address,
                           count,
                           buffer.datatype,
                           qmpi::get_or<role::source>(call, MPI_PROC_NULL),
                           Call::has(role::tag, 1) ? qmpi::get_or<role::tag, 1>(call, 0)
                                                   : qmpi::get_or<role::tag>(call, 0)};
        });
    }

    void add_ranges(Pending &pending)
    {
        for (const Message *end : {&pending.send, &pending.receive}) {
            if (end->peer != MPI_PROC_NULL)
                operations_.add_range(pending.ranges, end->address, end->count, end->datatype,
                                      end == &pending.receive);
        }
    }

    template <typename Call>
    int persistent(Call &call, Pending &pending)
    {
        const int error_code = operations_.go(call);
        if (error_code == MPI_SUCCESS)
            operations_.add_persistent(*qmpi::get<qmpi::role::request>(call), std::move(pending));
        return error_code;
    }

    template <typename Call>
    int partitioned(Call &call, const Here &here)
    {
        const Position position = process_.position(here);
        const SharedCommunicator communicator =
            process_.communicator(qmpi::get<qmpi::role::communicator>(call));
        Message send, receive;
        describe(call, send, receive);
        const Message &message = send.exists ? send : receive;
        process_.use(communicator,
                     {send.exists ? Use::Kind::send : Use::Kind::receive, 0, position, message.peer,
                      message.tag});
        const int error_code = operations_.go(call);
        if (error_code == MPI_SUCCESS) {
            Pending pending;
            pending.position = position;
            pending.communicator = communicator;
            pending.is_partitioned = true;
            pending.partitions = operations_.partitions_of(call, message, send.exists);
            messages_.partitioned(pending, message);
            operations_.add_persistent(*qmpi::get<qmpi::role::request>(call), std::move(pending));
        }
        return error_code;
    }

    template <typename Call>
    void begin(Pending &pending)
    {
        /* With one buffer for both (MPI_Sendrecv_replace) the overlap is intended. */
        if constexpr (Call::buffers.size() == 2)
            operations_.check_own_overlaps(pending.ranges, pending.position);
        operations_.check_overlaps(pending.ranges, pending.position);
        messages_.begin(pending);
    }

    template <typename Call>
    int nonblocking(Call &call, Pending &pending)
    {
        begin<Call>(pending);
        const int error_code = operations_.go(call);
        if (error_code == MPI_SUCCESS)
            operations_.add(*qmpi::get<qmpi::role::request>(call), std::move(pending));
        else {
            messages_.find_no_buffer(pending, error_code);
            process_.failed(pending.position);
        }
        return error_code;
    }

    template <typename Call>
    int blocking(Call &call, Pending &pending)
    {
        /* It cannot be cancelled. */
        pending.is_certain =
            pending.receive.peer != MPI_ANY_SOURCE && pending.receive.tag != MPI_ANY_TAG;
        begin<Call>(pending);
        MPI_Status own_status{};
        const MPI_Status *status = nullptr;
        if constexpr (Call::has(qmpi::role::status))
            status = status_or_own(qmpi::get<qmpi::role::status>(call), own_status);
        const int error_code = blocked(call, pending.position, Expectations(pending.expected));
        if (error_code == MPI_SUCCESS)
            messages_.completed(pending, status);
        else
            messages_.failed(pending, error_code);
        return error_code;
    }

    template <typename Call>
    int probe(Call &call, Pending &pending)
    {
        if constexpr (!Call::has(qmpi::role::source))
            return operations_.go(call);
        else {
            const int source = qmpi::get<qmpi::role::source>(call),
                      tag = qmpi::get<qmpi::role::tag>(call);
            if constexpr (Call::has(qmpi::role::message))
                process_.use(pending.communicator,
                             {Use::Kind::receive, 0, pending.position, source, tag});
            MPI_Status own_status{};
            [[maybe_unused]] const MPI_Status *status =
                status_or_own(qmpi::get<qmpi::role::status>(call), own_status);
            int error_code;
            if constexpr (Call::has(qmpi::role::flag))
                error_code = operations_.go(call);
            else
                error_code = blocked(call, pending.position,
                                     messages_.expected_by_probe(pending, source, tag));
            [[maybe_unused]] bool exists = error_code == MPI_SUCCESS && source != MPI_PROC_NULL;
            if constexpr (Call::has(qmpi::role::flag)) {
                exists = exists && *qmpi::get<qmpi::role::flag>(call);
                if (exists)
                    messages_.probed(pending, *status);
            }
            if constexpr (Call::has(qmpi::role::message)) {
                if (exists)
                    messages_.matched(pending, source, tag, *status,
                                      *qmpi::get<qmpi::role::message>(call));
            } else if (exists)
                messages_.keep_probed(pending, source, tag, *status);
            return error_code;
        }
    }

    template <typename Call>
    int blocked(Call &call, const Position &position, Expectations &&expected)
    {
        const Blocked blocked(waiting_, {position, true, std::move(expected)});
        return operations_.go(call);
    }

    /* The tool needs the status even if the program passes MPI_STATUS_IGNORE. */
    static const MPI_Status *status_or_own(MPI_Status *&given, MPI_Status &own)
    {
        if (given == MPI_STATUS_IGNORE)
            given = &own;
        return given;
    }

    LocalProcess &process_;
    Messages &messages_;
    Operations &operations_;
    Waiting &waiting_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_POINT_TO_POINT_HPP_INCLUDED */
