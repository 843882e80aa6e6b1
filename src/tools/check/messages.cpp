/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "messages.hpp"

namespace qmpi::check {
namespace {

bool is_truncation(int error_code)
{
    int error_class = MPI_SUCCESS;
    return QMPI_Error_class(error_code, &error_class) == MPI_SUCCESS &&
        error_class == MPI_ERR_TRUNCATE;
}

}  // namespace

void Messages::begin(Pending &pending)
{
    const bool sends = pending.send.exists && pending.send.peer != MPI_PROC_NULL;
    const bool receives = pending.receive.exists && pending.receive.peer != MPI_PROC_NULL;
    pending.waits.clear();
    if (!process_.is_comparable(pending.communicator)) {
        if (pending.communicator == nullptr || sends || receives)
            pending.waits.emplace_back(); /* unknown peers */
        return;
    }
    const bool wants_answer = process_.waits_for_answer(pending.position);
    if (sends)
        begin_send(pending, wants_answer);
    if (receives)
        begin_receive(pending, wants_answer);
}

/* The library reports ranks outside the communicator. */
void Messages::begin_send(Pending &pending, bool wants_answer)
{
    const Communicator &communicator = *pending.communicator;
    const Message &send = pending.send;
    const int destination = communicator.world_rank_of(send.peer);
    if (destination == outside_world)
        return process_.distrust("invalid rank");
    process_.report(Event::send,
                    SendEvent{pending.position, communicator.id, destination, send.tag,
                              process_.types.signature(send.datatype, send.count)},
                    wants_answer);
    pending.waits.push_back(
        wait_for(communicator, send.peer, send.tag, "the receive of a message"));
}

void Messages::begin_receive(Pending &pending, bool wants_answer)
{
    const Communicator &communicator = *pending.communicator;
    const Message &receive = pending.receive;
    const bool is_from_any = receive.peer == MPI_ANY_SOURCE;
    const int source = is_from_any ? MPI_ANY_SOURCE : communicator.world_rank_of(receive.peer);
    if (!is_from_any && source == outside_world)
        return process_.distrust("invalid rank");
    pending.number = ++number_of_receives_;
    process_.report(
        Event::receive,
        ReceiveEvent{pending.position, communicator.id, pending.number, source, receive.tag,
                     pending.is_certain, process_.types.signature(receive.datatype, receive.count)},
        wants_answer);
    pending.waits.push_back(
        wait_for_message(communicator, receive.peer, receive.tag, pending.number));
}

void Messages::expect(Pending &pending)
{
    if (pending.number == 0 || pending.is_certain || pending.is_cancelled ||
        process_.is_distrusted() || pending.receive.peer == MPI_ANY_SOURCE ||
        pending.receive.tag == MPI_ANY_TAG)
        return;
    pending.is_certain = true;
    process_.report(Event::received,
                    ReceivedEvent{pending.communicator->id, pending.number,
                                  pending.communicator->world_rank_of(pending.receive.peer),
                                  pending.receive.tag, false},
                    process_.waits_for_answer(pending.position));
}

void Messages::received(Pending &pending, const MPI_Status *status)
{
    if (pending.number == 0 || process_.is_distrusted() || status == nullptr)
        return;
    int is_cancelled = 0;
    QMPI_Test_cancelled(status, &is_cancelled);
    if (!pending.is_certain || is_cancelled)
        process_.report(
            Event::received,
            ReceivedEvent{
                pending.communicator->id, pending.number,
                is_cancelled ? 0 : pending.communicator->world_rank_of(status->MPI_SOURCE),
                is_cancelled ? 0 : status->MPI_TAG, is_cancelled != 0},
            process_.waits_for_answer(pending.position));
    pending.number = 0;
}

void Messages::failed(const Pending &pending, int error_code)
{
    if (pending.receive.exists && is_truncation(error_code) && !pending.is_certain)
        process_.found(Kind::truncation, pending.position, "the message is longer than the buffer");
    process_.distrust("a communication failed");
}

void Messages::matched(const Pending &probe, const MPI_Status &status)
{
    if (process_.is_comparable(probe.communicator))
        process_.report(Event::receive,
                        ReceiveEvent{probe.position,
                                     probe.communicator->id,
                                     ++number_of_receives_,
                                     probe.communicator->world_rank_of(status.MPI_SOURCE),
                                     status.MPI_TAG,
                                     true,
                                     {}},
                        false);
}

std::vector<Wait> Messages::waits_of_probe(const Pending &probe, int source, int tag)
{
    if (!process_.is_comparable(probe.communicator) || source == MPI_PROC_NULL)
        return {};
    return {wait_for_message(*probe.communicator, source, tag, 0)};
}

}  // namespace qmpi::check
