/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "messages.hpp"

#include "send_mode.hpp"

#include "../common/movement.hpp"
#include "../common/requests.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace qmpi::check {

namespace {

bool has_wildcard(const Message &receive)
{
    return receive.peer == MPI_ANY_SOURCE || receive.tag == MPI_ANY_TAG;
}

bool is_buffered(const Pending &pending)
{
    return send_mode(pending.position.function) == SendMode::buffered;
}

}  // namespace

void Messages::begin(Pending &pending)
{
    const bool sends = pending.send.exists && pending.send.peer != MPI_PROC_NULL;
    const bool receives = pending.receive.exists && pending.receive.peer != MPI_PROC_NULL;
    pending.expected.clear();
    pending.number = pending.send_number = 0;
    pending.is_awaited = pending.position.is_blocking();
    if (sends)
        use(pending, Use::Kind::send, pending.send);
    if (receives)
        use(pending, Use::Kind::receive, pending.receive);
    if (!process_.is_comparable(pending.communicator)) {
        if (pending.communicator == nullptr || sends || receives) {
            pending.expected.emplace_back(); /* unknown peers */
            process_.lose_order(LocalProcess::not_compared);
        }
        return;
    }
    if (sends)
        begin_send(pending);
    if (receives)
        begin_receive(pending);
    if (sends && pending.position.is_blocking() &&
        qmpi::operation_of(pending.position.function) == qmpi::operation::sendrecv) {
        await(pending.position, pending.send_number);
        if (receives)
            await(pending.position, pending.number);
    }
}

void Messages::use(const Pending &pending, Use::Kind kind, const Message &message)
{
    if (!process_.is_multiple())
        return;
    const bool is_receive = kind == Use::Kind::receive && pending.position.is_blocking() &&
        qmpi::operation_of(pending.position.function) == qmpi::operation::receive;
    const std::uint64_t data = is_receive ? static_cast<std::uint64_t>(message.count) << 32 ^
            qmpi::handle_value(message.datatype) ^ std::uint64_t{1} << 63
                                          : 0;
    process_.use(pending.communicator,
                 {kind, 0, pending.position, message.peer, message.tag, data});
}

void Messages::begin(Pending &pending, CollectiveObject &collective)
{
    pending.expected.clear();
    pending.is_awaited = false;
    if (!process_.is_followed(pending.communicator)) {
        pending.expected.emplace_back(); /* unknown peers */
        return;
    }
    CollectiveEvent event = collective.next(pending.position);
    Expected expected{Completion::start, pending.communicator, event.number};
    expected.is_of_neighbours = qmpi::set::neighbourhood.contains(pending.position.function);
    expected.made = collective.id();
    pending.expected.push_back(std::move(expected));
    if (event.size > 1)
        process_.report(Event::collective, std::move(event),
                        process_.waits_for_answer(Event::collective, pending.position));
}

/* The library reports ranks outside the communicator. */
void Messages::begin_send(Pending &pending)
{
    const Communicator &communicator = *pending.communicator;
    const Message &send = pending.send;
    const int destination = communicator.world_rank_of(send.peer);
    if (destination == outside_world)
        return process_.distrust("invalid rank");
    pending.send_number = ++number_of_operations_;
    process_.report(Event::send,
                    SendEvent{pending.position, communicator.id, pending.send_number, destination,
                              send.tag, process_.types.signature(send.datatype, send.count)},
                    process_.waits_for_answer(Event::send, pending.position));
    pending.expected.push_back(
        {Completion::receive, pending.communicator, pending.send_number, send.peer, send.tag});
    if (!is_buffered(pending))
        return;
    const std::lock_guard<std::mutex> guard(lock_);
    buffered_.push_back(
        {Completion::buffered, pending.communicator, pending.send_number, send.peer, send.tag});
    if (buffered_.size() > most_buffered)
        buffered_.pop_front();
}

Expectations Messages::buffered()
{
    Expectations expected;
    const std::lock_guard<std::mutex> guard(lock_);
    for (const Expected &one : buffered_)
        expected.push_back(one);
    if (buffered_.empty())
        expected.emplace_back(); /* unknown peers */
    return expected;
}

void Messages::delivered()
{
    const std::lock_guard<std::mutex> guard(lock_);
    buffered_.clear();
}

void Messages::find_no_buffer(const Pending &pending, int error_code)
{
    if (!pending.send.exists || !is_buffered(pending) || !is_of_class(error_code, MPI_ERR_BUFFER))
        return;
    const std::int64_t attached = process_.attached;
    const std::string bytes =
        std::to_string(
            process_.types.signature(pending.send.datatype, pending.send.count).bytes()) +
        " bytes";
    process_.found(Kind::argument, pending.position,
                   attached == LocalProcess::no_buffer ? "no buffer is attached for the " + bytes
                       : attached < 0 ? "the attached buffer has no room for the " + bytes
                                      : "the attached buffer of " + std::to_string(attached) +
                           " bytes has no room for the " + bytes);
}

void Messages::begin_receive(Pending &pending)
{
    const Communicator &communicator = *pending.communicator;
    const Message &receive = pending.receive;
    const bool is_from_any = receive.peer == MPI_ANY_SOURCE;
    const int source = is_from_any ? MPI_ANY_SOURCE : communicator.world_rank_of(receive.peer);
    if (!is_from_any && source == outside_world)
        return process_.distrust("invalid rank");
    pending.number = ++number_of_operations_;
    ReceiveEvent event{pending.position,
                       communicator.id,
                       pending.number,
                       source,
                       receive.tag,
                       pending.is_certain,
                       is_from_any,
                       receive.tag == MPI_ANY_TAG,
                       process_.types.signature(receive.datatype, receive.count)};
    take_probed(event, receive);
    process_.report(Event::receive, std::move(event),
                    process_.waits_for_answer(Event::receive, pending.position));
    pending.expected.push_back(
        {Completion::message, pending.communicator, pending.number, receive.peer, receive.tag});
}

void Messages::partitioned(Pending &pending, const Message &message)
{
    const SharedCommunicator &communicator = pending.communicator;
    const int peer = message.peer != MPI_PROC_NULL && process_.is_followed(communicator)
        ? communicator->world_rank_of(message.peer)
        : outside_world;
    if (peer == outside_world) {
        pending.expected.emplace_back(); /* unknown peers */
        return;
    }
    Partitions &partitions = *pending.partitions;
    partitions.number = ++number_of_operations_;
    process_.report(Event::partitioned,
                    PartitionedEvent{pending.position, communicator->id, partitions.number,
                                     partitions.are_sent, peer, message.tag,
                                     process_.types.signature(message.datatype, message.count)},
                    process_.waits_for_answer(Event::partitioned, pending.position));
    pending.expected.push_back(
        {Completion::partitioned, communicator, partitions.number, message.peer, message.tag});
}

void Messages::report(Event event, const Partitions &partitions)
{
    if (partitions.number != 0 && !process_.is_distrusted())
        process_.report(event, OperationKey{false, 0, partitions.number}, false);
}

/* The analyser learns when the sender has marked all partitions, not when it has marked one. */
void Messages::arrived(Pending &pending)
{
    const Partitions &partitions = *pending.partitions;
    if (!partitions.have_arrived())
        process_.lose_order("MPI_Parrived");
    else if (!std::exchange(pending.is_awaited, true))
        report(Event::completed, partitions);
}

/* Its source and tag are those that a probe has found. */
void Messages::take_probed(ReceiveEvent &event, const Message &receive)
{
    if (!process_.wants(Kind::message_race))
        return;
    const std::lock_guard<std::mutex> guard(lock_);
    if (!probed_ || probed_->communicator != event.communicator ||
        (!event.is_from_any && receive.peer != probed_->source) ||
        (!event.has_any_tag && receive.tag != probed_->tag))
        return;
    event.is_from_any = true;
    event.has_any_tag = event.has_any_tag || probed_->has_any_tag;
    probed_.reset();
}

/* ---- completion ---- */

void Messages::expect(Pending &pending, const Position &position)
{
    if (process_.is_distrusted())
        return;
    if (pending.shared != nullptr)
        await_shared(*pending.shared, position);
    else if (!std::exchange(pending.is_awaited, true)) {
        if (pending.send_number != 0)
            await(position, pending.send_number);
        for (const Expected &expected : pending.expected) {
            if (expected.kind == Completion::start)
                process_.report(Event::await, OperationEvent{position, expected.collective()},
                                false);
        }
        if (pending.number != 0 && !pending.is_cancelled)
            await(position, pending.number);
        if (pending.receives_partitions())
            await(position, pending.partitions->number);
    }
    if (pending.number != 0 && !pending.is_certain && !pending.is_cancelled &&
        !has_wildcard(pending.receive))
        make_certain(pending, "");
}

/* It will get the message with that source and tag, or one of which nothing will be known. */
void Messages::make_certain(Pending &pending, const char *reason)
{
    if (has_wildcard(pending.receive))
        return process_.distrust(reason);
    pending.is_certain = true;
    will_get(pending, pending.communicator->world_rank_of(pending.receive.peer),
             pending.receive.tag);
}

void Messages::will_get(const Pending &pending, int source, int tag)
{
    process_.report(Event::received,
                    ReceivedEvent{pending.communicator->id, pending.number, source, tag, false},
                    process_.waits_for_answer(Event::received, pending.position));
}

void Messages::await(const Position &position, std::uint64_t number)
{
    process_.report(Event::await, OperationEvent{position, {false, 0, number}}, false);
}

void Messages::completed(Pending &pending, const MPI_Status *status)
{
    if (process_.is_distrusted())
        return;
    if (pending.shared != nullptr)
        end_shared(*std::exchange(pending.shared, nullptr));
    else if (!pending.is_awaited) {
        if (pending.send_number != 0)
            process_.report(Event::completed, OperationKey{false, 0, pending.send_number}, false);
        for (const Expected &expected : pending.expected) {
            if (expected.kind == Completion::start)
                process_.report(Event::completed, expected.collective(), false);
        }
        if (pending.receives_partitions())
            report(Event::completed, *pending.partitions);
    }
    if (pending.number != 0 && status != nullptr)
        received(pending, *status);
}

/* Without a request, it can no longer be cancelled. */
void Messages::forgotten(Pending &pending)
{
    if (process_.is_distrusted())
        return;
    if (pending.shared != nullptr)
        end_shared(*std::exchange(pending.shared, nullptr));
    for (const std::uint64_t number : {pending.send_number, pending.number}) {
        if (number != 0)
            process_.report(Event::forgotten, OperationKey{false, 0, number}, false);
    }
    if (pending.number != 0 && !pending.is_certain)
        make_certain(pending, "the request of a pending receive with a wildcard was freed");
    pending.number = 0;
}

void Messages::received(Pending &pending, const MPI_Status &status)
{
    const int function = pending.position.function;
    const bool is_set = qmpi::movement::sets_status(qmpi::operation_of(function),
                                                    qmpi::form_of(function), pending.send.peer);
    int is_cancelled = 0;
    if (is_set)
        QMPI_Test_cancelled(&status, &is_cancelled);
    if (is_cancelled)
        process_.report(Event::received,
                        ReceivedEvent{pending.communicator->id, pending.number, 0, 0, true},
                        process_.waits_for_answer(Event::received, pending.position));
    else if (!pending.is_certain) {
        const int source =
            is_set ? pending.communicator->world_rank_of(status.MPI_SOURCE) : outside_world;
        if (source != outside_world)
            will_get(pending, source, status.MPI_TAG);
        else
            make_certain(pending,
                         "the status of a receive with a wildcard does not name its message");
    }
    pending.number = 0;
}

/* ---- shared handles ---- */

void Messages::share(Pending &one, Pending &other)
{
    const std::lock_guard<std::mutex> guard(lock_);
    if (other.shared == nullptr) {
        other.shared = std::make_shared<SharedHandle>();
        other.shared->sends.push_back(other.send_number);
    }
    one.shared = other.shared;
    SharedHandle &shared = *one.shared;
    shared.sends.push_back(one.send_number);
    /* With one send always open, there are never as many waits as sends. */
    while (shared.sends.size() > SharedHandle::many && shared.awaited > 0) {
        release(shared.sends.front());
        shared.sends.erase(shared.sends.begin());
        shared.awaited--;
        shared.ended -= std::min<std::size_t>(shared.ended, 1);
    }
}

void Messages::completed(SharedHandle &shared)
{
    const std::lock_guard<std::mutex> guard(lock_);
    for (std::uint64_t &send : shared.sends)
        release(send);
}

/* The program did not wait for it, or not certainly. */
void Messages::release(std::uint64_t &send)
{
    if (send != 0 && !process_.is_distrusted())
        process_.report(Event::completed, OperationKey{false, 0, send}, false);
    send = 0;
}

void Messages::await_shared(SharedHandle &shared, const Position &position)
{
    const std::lock_guard<std::mutex> guard(lock_);
    if (++shared.awaited != shared.sends.size())
        return;
    for (const std::uint64_t send : std::exchange(shared.sends, {}))
        await(position, send);
    shared.awaited = shared.ended = 0;
}

void Messages::end_shared(SharedHandle &shared)
{
    const std::lock_guard<std::mutex> guard(lock_);
    shared.ended++;
    shared.awaited = std::max(shared.awaited, shared.ended);
}

/* ---- errors and probes ---- */

void Messages::failed(const Pending &pending, int error_code)
{
    find_no_buffer(pending, error_code);
    for (const Expected &expected : pending.expected) {
        if (expected.kind == Completion::start)
            process_.failed(error_code, {pending.position, expected.collective()}, true);
    }
    if (pending.receive.exists) {
        const bool is_certain = pending.number != 0 && pending.is_certain;
        const std::uint64_t number = is_certain ? pending.number : pending.matched_number;
        process_.failed(
            error_code,
            {pending.position, {false, is_certain ? pending.communicator->id : 0, number}},
            number != 0);
    }
    process_.failed(pending.position);
}

void Messages::matched(const Pending &probe, int source, int tag, const MPI_Status &status,
                       MPI_Message message)
{
    if (!process_.is_comparable(probe.communicator))
        return;
    const int sender = probe.communicator->world_rank_of(status.MPI_SOURCE);
    if (sender == outside_world)
        return process_.distrust("the status of a probe does not name its message");
    const std::uint64_t number = ++number_of_operations_;
    process_.report(Event::receive,
                    ReceiveEvent{probe.position,
                                 probe.communicator->id,
                                 number,
                                 sender,
                                 status.MPI_TAG,
                                 true,
                                 source == MPI_ANY_SOURCE,
                                 tag == MPI_ANY_TAG,
                                 {}},
                    false);
    const std::lock_guard<std::mutex> guard(lock_);
    matched_[message] = {probe.position, number};
}

std::uint64_t Messages::receive_matched(const Position &position, MPI_Message message,
                                        MPI_Count count, MPI_Datatype datatype)
{
    std::uint64_t number = 0;
    {
        const std::lock_guard<std::mutex> guard(lock_);
        if (const auto found = matched_.extract(message))
            number = found.mapped().number;
    }
    if (number == 0 || process_.is_distrusted())
        return 0;
    process_.report(Event::matched,
                    MatchedEvent{position, number, process_.types.signature(datatype, count)},
                    process_.waits_for_answer(Event::matched, position));
    return number;
}

Expectations Messages::expected_by_probe(const Pending &probe, int source, int tag)
{
    if (source == MPI_PROC_NULL || !process_.is_followed(probe.communicator))
        return {};
    report_probe(probe, source, tag, false);
    return {{Completion::message, probe.communicator, 0, source, tag}};
}

void Messages::probed(const Pending &probe, const MPI_Status &status)
{
    if (process_.is_followed(probe.communicator))
        report_probe(probe, status.MPI_SOURCE, status.MPI_TAG, true);
}

void Messages::keep_probed(const Pending &probe, int source, int tag, const MPI_Status &status)
{
    if (source != MPI_ANY_SOURCE || !process_.wants(Kind::message_race) ||
        probe.communicator == nullptr)
        return;
    const std::lock_guard<std::mutex> guard(lock_);
    probed_ = {probe.communicator->id, status.MPI_SOURCE, status.MPI_TAG, tag == MPI_ANY_TAG};
}

void Messages::find_unreceived()
{
    const std::lock_guard<std::mutex> guard(lock_);
    for (const auto &[message, matched] : matched_)
        process_.found(Kind::unreceived, matched.position,
                       "the message of this probe was not received");
}

void Messages::report_probe(const Pending &probe, int source, int tag, bool has_found)
{
    const int sender =
        source == MPI_ANY_SOURCE ? source : probe.communicator->world_rank_of(source);
    if (source == MPI_ANY_SOURCE || sender != outside_world)
        process_.report(Event::probe,
                        ProbeEvent{probe.position, probe.communicator->id, sender, tag, has_found},
                        false);
}

}  // namespace qmpi::check
