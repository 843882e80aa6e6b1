/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Point-to-point messages.

   In a step, each process starts its nonblocking receives, then its nonblocking sends, then makes the blocking calls in the
   order of the messages. So no blocking call waits for a later one. A tag belongs to one step, or to one group of messages
   with the same data in it. */

#ifndef MESSAGES_HPP
#define MESSAGES_HPP

#include <atomic>

#include "script.hpp"

namespace messages {

enum class Send {
    send,
    ssend,
    bsend,
    rsend,
    packed,
    isend,
    issend,
    ibsend,
    irsend,
    freed,
    init,
    ssend_init,
    bsend_init,
    rsend_init,
    psend
};
enum class Receive { recv, mprobe, probe, improbe, iprobe, irecv, init, precv };

inline bool is_blocking(Send send)
{
    return send < Send::isend;
}
inline bool is_blocking(Receive receive)
{
    return receive < Receive::irecv;
}
inline bool is_ready(Send send)
{
    return send == Send::rsend || send == Send::irsend || send == Send::rsend_init;
}
inline bool is_persistent(Send send)
{
    return send >= Send::init;
}

struct Message {
    int side, source, target; /* ranks; the target is in the other group of an intercommunicator */
    int tag, count;
    uint64_t key;
    Layout unit;
    Part part;
    int more = 0; /* elements that the receiver has place for, but does not get */
    Send send;
    Receive receive;
    bool any_source = false, any_tag = false, is_large = false;
    int partitions = 1, partitions_there = 1;
    int send_due, receive_due;

    int elements() const { return count * part.multiple; }
    uint64_t key_of(int round) const { return key + static_cast<uint64_t>(round) * 1000003; }
};

/* Bytes that buffered sends of the process still take, at most */
inline std::atomic<long> &buffered()
{
    static std::atomic<long> bytes{0};
    return bytes;
}
constexpr long buffer_size = 1 << 20;

inline bool take_buffer(const Message &message)
{
    const long bytes = message.unit.size() * message.count + 4 * MPI_BSEND_OVERHEAD + 64;
    if (buffered() + bytes > buffer_size / 2)
        return false;
    if ((buffered() += bytes) <= buffer_size)
        return true;
    buffered() -= bytes;
    return false;
}

/* Of one message in one process */
struct End {
    const Message message;
    std::shared_ptr<Comm> comm;
    Buffer buffer;
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<char> packed;
    uint64_t key = 0;

    End(const Message &message, std::shared_ptr<Comm> comm, bool is_send)
        : message(message), comm(std::move(comm)),
          buffer(is_send ? message.unit : message.part.layout,
                 is_send ? message.count : message.elements() + message.more)
    {
    }
};

inline void check_received(Script &script, End &end, int round, MPI_Status *status)
{
    const Message &message = end.message;
    if (message.source < 0)
        return;
    int count, source = message.source;
    if (status) {
        MPI_Get_count(status, message.part.layout.handle(), &count);
        script.expect(count == message.elements() || message.part.layout.size() == 0,
                      "wrong count");
        script.expect(message.any_tag || status->MPI_TAG == message.tag, "wrong tag");
        script.expect(message.any_source || status->MPI_SOURCE == source, "wrong source");
        source = status->MPI_SOURCE;
    } else if (message.any_source)
        return;
    (void) source;
    script.expect(packed(end.buffer.base(), message.part.layout, message.elements()) ==
                      sent(message.unit, message.count, message.key_of(round)),
                  "wrong data received");
}

inline void start_receive(Script &script, const std::shared_ptr<End> &end,
                          std::vector<MPI_Request> &starts)
{
    const Message &m = end->message;
    const int source = m.source < 0 ? MPI_PROC_NULL : m.any_source ? MPI_ANY_SOURCE : m.source;
    const int tag = m.any_tag ? MPI_ANY_TAG : m.tag, elements = m.elements() + m.more;
    const MPI_Comm comm = end->comm->handle;
    switch (m.receive) {
    case Receive::irecv:
        m.is_large ? MPI_Irecv_c(end->buffer.base(), elements, m.part.layout.handle(), source, tag,
                                 comm, &end->request)
                   : MPI_Irecv(end->buffer.base(), elements, m.part.layout.handle(), source, tag,
                               comm, &end->request);
        return;
    case Receive::init:
        if (end->request == MPI_REQUEST_NULL)
            MPI_Recv_init(end->buffer.base(), elements, m.part.layout.handle(), source, tag, comm,
                          &end->request);
        break;
    default:
        if (end->request == MPI_REQUEST_NULL)
            MPI_Precv_init(end->buffer.base(), m.partitions_there, elements / m.partitions_there,
                           m.part.layout.handle(), source, tag, comm, MPI_INFO_NULL, &end->request);
    }
    if (script.own.chance(40))
        starts.push_back(end->request);
    else
        MPI_Start(&end->request);
}

inline void start_all(std::vector<MPI_Request> &starts)
{
    if (!starts.empty())
        MPI_Startall(static_cast<int>(starts.size()), starts.data());
    starts.clear();
}

/* Nonblocking sends. Returns false if there is no request to wait for. */
inline bool start_send(Script &script, const std::shared_ptr<End> &end)
{
    const Message &m = end->message;
    const int target = m.target < 0 ? MPI_PROC_NULL : m.target;
    const MPI_Comm comm = end->comm->handle;
    void *const base = end->buffer.base();
    const MPI_Datatype type = m.unit.handle();
    MPI_Request *const request = &end->request;
    switch (m.send) {
    case Send::isend:
        m.is_large ? MPI_Isend_c(base, m.count, type, target, m.tag, comm, request)
                   : MPI_Isend(base, m.count, type, target, m.tag, comm, request);
        return true;
    case Send::issend:
        MPI_Issend(base, m.count, type, target, m.tag, comm, request);
        return true;
    case Send::ibsend:
        take_buffer(m) ? MPI_Ibsend(base, m.count, type, target, m.tag, comm, request)
                       : MPI_Isend(base, m.count, type, target, m.tag, comm, request);
        return true;
    case Send::irsend:
        MPI_Irsend(base, m.count, type, target, m.tag, comm, request);
        return true;
    case Send::freed:
        MPI_Isend(base, m.count, type, target, m.tag, comm, request);
        MPI_Request_free(request);
        script.kept.push_back(end);
        return false;
    case Send::psend:
        if (*request == MPI_REQUEST_NULL)
            MPI_Psend_init(base, m.partitions, m.count / m.partitions, type, target, m.tag, comm,
                           MPI_INFO_NULL, request);
        MPI_Start(request);
        if (script.own.chance(30))
            MPI_Pready_range(0, m.partitions - 1, *request);
        else {
            std::vector<int> order = script.own.permutation(m.partitions);
            if (script.own.chance(30))
                MPI_Pready_list(m.partitions, order.data(), *request);
            else
                for (int one : order)
                    MPI_Pready(one, *request);
        }
        return true;
    default:
        if (*request == MPI_REQUEST_NULL) {
            if (m.send == Send::init)
                MPI_Send_init(base, m.count, type, target, m.tag, comm, request);
            else if (m.send == Send::ssend_init)
                MPI_Ssend_init(base, m.count, type, target, m.tag, comm, request);
            else if (m.send == Send::bsend_init && take_buffer(m) && take_buffer(m) &&
                     take_buffer(m))
                MPI_Bsend_init(base, m.count, type, target, m.tag, comm, request);
            else if (m.send == Send::bsend_init)
                MPI_Send_init(base, m.count, type, target, m.tag, comm, request);
            else
                MPI_Rsend_init(base, m.count, type, target, m.tag, comm, request);
        }
        MPI_Start(request);
        return true;
    }
}

inline void send(End &end)
{
    const Message &m = end.message;
    const int target = m.target < 0 ? MPI_PROC_NULL : m.target;
    const MPI_Comm comm = end.comm->handle;
    void *const base = end.buffer.base();
    const MPI_Datatype type = m.unit.handle();
    switch (m.send) {
    case Send::ssend:
        MPI_Ssend(base, m.count, type, target, m.tag, comm);
        return;
    case Send::bsend:
        take_buffer(m) ? MPI_Bsend(base, m.count, type, target, m.tag, comm)
                       : MPI_Send(base, m.count, type, target, m.tag, comm);
        return;
    case Send::rsend:
        MPI_Rsend(base, m.count, type, target, m.tag, comm);
        return;
    case Send::packed: {
        int size, at = 0;
        MPI_Pack_size(m.count, type, comm, &size);
        std::vector<char> packed(static_cast<size_t>(size) + 1);
        MPI_Pack(base, m.count, type, packed.data(), size, &at, comm);
        MPI_Send(packed.data(), at, MPI_PACKED, target, m.tag, comm);
        return;
    }
    default:
        m.is_large ? MPI_Send_c(base, m.count, type, target, m.tag, comm)
                   : MPI_Send(base, m.count, type, target, m.tag, comm);
    }
}

inline void receive(Script &script, const std::shared_ptr<End> &end, int round)
{
    const Message &m = end->message;
    const int source = m.source < 0 ? MPI_PROC_NULL : m.any_source ? MPI_ANY_SOURCE : m.source;
    const int tag = m.any_tag ? MPI_ANY_TAG : m.tag, elements = m.elements() + m.more;
    const MPI_Comm comm = end->comm->handle;
    void *const base = end->buffer.base();
    const MPI_Datatype type = m.part.layout.handle();
    MPI_Status status, probed, *const state = script.own.chance(30) ? MPI_STATUS_IGNORE : &status;
    MPI_Message handle;
    int flag = 0;
    switch (m.receive) {
    case Receive::mprobe:
    case Receive::improbe:
        if (m.receive == Receive::mprobe)
            MPI_Mprobe(source, tag, comm, &handle, &probed);
        else
            while (!flag)
                MPI_Improbe(source, tag, comm, &flag, &handle, &probed);
        if (script.own.chance(50)) {
            MPI_Mrecv(base, elements, type, &handle, state);
            break;
        }
        MPI_Request request;
        MPI_Imrecv(base, elements, type, &handle, &request);
        script.add(request, script.step, [&script, end, round](MPI_Status *status) {
            check_received(script, *end, round, status);
        });
        return;
    case Receive::probe:
    case Receive::iprobe:
        if (m.receive == Receive::probe)
            MPI_Probe(source, tag, comm, &probed);
        else
            while (!flag)
                MPI_Iprobe(source, tag, comm, &flag, &probed);
        MPI_Recv(base, elements, type, probed.MPI_SOURCE, m.source < 0 ? tag : probed.MPI_TAG, comm,
                 state);
        break;
    default:
        m.is_large ? MPI_Recv_c(base, elements, type, source, tag, comm, state)
                   : MPI_Recv(base, elements, type, source, tag, comm, state);
    }
    check_received(script, *end, round, state == MPI_STATUS_IGNORE ? nullptr : &status);
}

inline void run(Script &script, const std::shared_ptr<Comm> &comm, const std::vector<Message> &all,
                int rounds)
{
    const int side = comm->side(script.me), me = comm->rank(script.me);
    const bool has_ready =
        std::any_of(all.begin(), all.end(), [](const Message &one) { return is_ready(one.send); });
    const bool has_any =
        std::any_of(all.begin(), all.end(), [](const Message &one) { return one.any_source; });
    std::vector<std::shared_ptr<End>> sends(all.size()), receives(all.size());
    std::vector<MPI_Request> starts;
    for (size_t i = 0; i < all.size(); i++) {
        if (all[i].side == side && all[i].source == me)
            sends[i] = std::make_shared<End>(all[i], comm, true);
        if (comm->far(all[i].side) == side && all[i].target == me)
            receives[i] = std::make_shared<End>(all[i], comm, false);
    }
    for (int round = 0; round < rounds; round++) {
        const bool is_last = round == rounds - 1;
        for (const auto &one : receives)
            if (one && !is_blocking(one->message.receive)) {
                start_receive(script, one, starts);
            }
        start_all(starts);
        for (const auto &one : receives)
            if (one && !is_blocking(one->message.receive))
                script.add(
                    one->request, is_last ? one->message.receive_due : script.step,
                    [&script, one, round, is_last](MPI_Status *status) {
                        if (status && one->message.receive == Receive::precv)
                            status = nullptr; /* MPICH leaves it empty */
                        check_received(script, *one, round, status);
                        if (one->message.receive != Receive::irecv && is_last)
                            script.unused.push_back(&one->request);
                    },
                    one->message.receive == Receive::precv ||
                        (one->message.source < 0 && one->message.receive == Receive::init));
        if (has_ready)
            MPI_Barrier(comm->handle);
        for (const auto &one : sends) {
            if (!one)
                continue;
            fill(one->buffer.base(), one->message.unit, one->message.count,
                 one->message.key_of(round));
            if (!is_blocking(one->message.send) && start_send(script, one))
                script.add(
                    one->request, is_last ? one->message.send_due : script.step,
                    [&script, one, is_last](MPI_Status *) {
                        if (is_persistent(one->message.send) && is_last)
                            script.unused.push_back(&one->request);
                    },
                    one->message.send == Send::psend ||
                        (one->message.target < 0 && is_persistent(one->message.send)));
        }
        for (size_t i = 0; i < all.size(); i++) {
            if (sends[i] && is_blocking(all[i].send))
                send(*sends[i]);
            if (receives[i] && is_blocking(all[i].receive))
                receive(script, receives[i], round);
        }
        for (const auto &one : receives)
            if (one && one->message.receive == Receive::precv && script.own.chance(50)) {
                int flag = 0;
                MPI_Parrived(one->request, script.own.below(one->message.partitions_there), &flag);
            }
        if (!is_last)
            script.complete();
        /* Otherwise a message of the next round could take the receive of another one. */
        if (!is_last && has_any)
            MPI_Barrier(comm->handle);
    }
}

inline Message drawn(Script &script, Comm &comm, bool allows_ready)
{
    Random &draw = script.draw;
    Message m;
    m.side = comm.is_inter ? draw.below(2) : 0;
    m.source = draw.below(comm.size(m.side));
    m.target = draw.below(comm.size(comm.far(m.side)));
    const bool is_own = !comm.is_inter && m.source == m.target;
    m.tag = script.tag();
    m.key = script.key();
    m.count = draw.chance(8) ? 0 : draw.chance(8) ? draw.between(300, 3000) : draw.between(1, 5);
    m.unit = any_layout(draw, false, m.count);
    m.part = matching(draw, m.unit, m.count);
    m.more = draw.chance(30) && m.part.layout.is_tame() ? draw.between(1, 3) : 0;
    m.is_large = draw.chance(20);
    m.send = static_cast<Send>(draw.between(is_own ? static_cast<int>(Send::isend) : 0,
                                            static_cast<int>(Send::rsend_init)));
    m.receive = static_cast<Receive>(draw.below(static_cast<int>(Receive::precv)));
    if (is_ready(m.send) && allows_ready)
        m.receive = draw.chance(50) ? Receive::irecv : Receive::init;
    else if (is_ready(m.send))
        m.send = Send::isend;
    /* MPICH loses messages to itself whose request is freed. */
    if (is_own && (is_blocking(m.send) || m.send == Send::freed))
        m.send = Send::isend;
    m.send_due = script.step + (draw.chance(50) ? 0 : draw.between(1, 5));
    m.receive_due = script.step + (draw.chance(50) ? 0 : draw.between(1, 5));
    if (draw.chance(6)) {
        (draw.chance(50) ? m.source : m.target) = -1;
        if (is_ready(m.send))
            m.send = Send::isend;
    } else if (draw.chance(8) && m.unit.is_tame() && m.part.layout.is_tame() && m.count > 0) {
        m.send = Send::psend;
        m.receive = Receive::precv;
        m.more = 0;
        m.count = draw.of(std::vector<int>{4, 8, 12});
        m.partitions = draw.of(std::vector<int>{1, 2, 4});
        m.partitions_there = m.partitions;
    }
    /* MPICH takes long packed data for longer than it is. */
    if (m.send == Send::packed && m.count > 100)
        m.send = Send::send;
    if (m.unit.size() * m.count > 4000 &&
        (m.send == Send::bsend || m.send == Send::ibsend || m.send == Send::bsend_init))
        m.send = is_own ? Send::isend : Send::send;
    return m;
}

inline void close(const std::vector<Message> &all, Comm &comm)
{
    for (const Message &one : all)
        comm.messages_until = std::max({comm.messages_until, one.send_due, one.receive_due});
}

inline void exchange(Script &script)
{
    const auto comm = script.any_comm();
    const int n = script.draw.between(1, 6),
              rounds = script.draw.chance(60) ? 1 : script.draw.between(2, 3);
    const bool allows_ready = script.draw.chance(40);
    std::vector<Message> all;
    while (static_cast<int>(all.size()) < n) {
        Message m = drawn(script, *comm, allows_ready);
        all.push_back(m);
        if (m.source < 0 || m.target < 0 || m.send == Send::psend || !script.draw.chance(25))
            continue;
        /* a group: several messages with the same tag and data to one process */
        const bool is_any = !script.options.is_deterministic && script.draw.chance(70);
        all.back().any_source = is_any;
        for (int i = script.draw.between(1, 3); i > 0; i--) {
            Message next = m;
            next.any_source = is_any;
            if (is_any)
                next.source = script.draw.below(comm->size(m.side));
            next.send = script.draw.chance(50) ? Send::isend
                : is_ready(m.send)             ? Send::irsend
                                               : m.send;
            next.receive = is_ready(next.send) || is_ready(m.send) ? m.receive
                : script.draw.chance(50)                           ? Receive::irecv
                                                                   : Receive::recv;
            if (!comm->is_inter && next.source == next.target &&
                (is_blocking(next.send) || next.send == Send::freed))
                next.send = Send::isend;
            all.push_back(next);
        }
    }
    for (Message &one : all)
        if (one.send == Send::freed && rounds > 1)
            one.send = Send::isend; /* its buffer may be in use for long */
    close(all, *comm);
    if (!comm->has(script.me))
        return;
    script.say("%d messages, %d rounds, comm %d", static_cast<int>(all.size()), rounds,
               comm->number);
    for (const Message &m : all)
        script.say("  %d.%d to %d, tag %d, %d elements, modes %d %d%s, due %d %d", m.side, m.source,
                   m.target, m.tag, m.count, static_cast<int>(m.send), static_cast<int>(m.receive),
                   m.any_source ? ", any source" : "", m.send_due, m.receive_due);
    run(script, comm, all, rounds);
}

/* Receives with MPI_ANY_TAG, on a communicator without other messages */
inline void any_tags(Script &script)
{
    const auto comm = script.comm(
        [&](const Comm &one) { return !one.is_inter && one.messages_until < script.step; });
    if (!comm || script.options.is_deterministic)
        return;
    const int target = script.draw.below(comm->size()), n = script.draw.between(1, 4);
    std::vector<Message> all;
    Message first = drawn(script, *comm, false);
    first.send = Send::isend;
    first.side = 0;
    first.target = target;
    first.partitions = first.partitions_there = 1;
    first.receive = Receive::irecv;
    for (int i = 0; i < n; i++) {
        Message m = first;
        m.source = script.draw.below(comm->size());
        m.tag = script.tag();
        m.send = m.source == target
            ? Send::isend
            : script.draw.of(std::vector<Send>{Send::isend, Send::send, Send::ssend, Send::issend});
        m.receive =
            script.draw.of(std::vector<Receive>{Receive::recv, Receive::mprobe, Receive::probe,
                                                Receive::improbe, Receive::iprobe, Receive::irecv});
        m.any_source = m.any_tag = true;
        m.send_due = m.receive_due = script.step;
        all.push_back(m);
    }
    if (!comm->has(script.me))
        return;
    script.say("%d messages with any tag, comm %d", n, comm->number);
    run(script, comm, all, 1);
    script.complete();
    MPI_Barrier(comm->handle);
}

/* Each process sends to one and receives from one. */
inline void shift(Script &script)
{
    const auto comm = script.intra();
    Random &draw = script.draw;
    const int size = comm->size(), tag = script.tag();
    const std::vector<int> to = draw.permutation(size);
    std::vector<int> from(to.size());
    std::vector<bool> is_cut(to.size());
    for (int i = 0; i < size; i++) {
        from[static_cast<size_t>(to[static_cast<size_t>(i)])] = i;
        is_cut[static_cast<size_t>(i)] = draw.chance(20); /* does not send */
    }
    const uint64_t key = script.key();
    const int count = draw.chance(10) ? 0 : draw.between(1, 6), due = script.step + draw.below(4),
              mode = draw.below(5);
    /* MPICH crashes in nonblocking exchanges of derived types. */
    const bool is_simple = mode == 1 || mode == 3;
    const Layout unit = is_simple ? predefined(static_cast<Basic>(draw.below(9)))
                                  : any_layout(draw, mode >= 2, count);
    const Part part = is_simple ? Part{unit, 1} : matching(draw, unit, count);
    const bool mixes = draw.chance(30);
    std::vector<bool> others(to.size());
    for (size_t i = 0; i < others.size(); i++)
        others[i] = mixes && draw.chance(50);
    comm->messages_until = std::max(comm->messages_until, due);
    if (!comm->has(script.me))
        return;
    const int me = comm->rank(script.me);
    const size_t my = static_cast<size_t>(me);
    const int target = is_cut[my] ? MPI_PROC_NULL : to[my];
    const int source = is_cut[static_cast<size_t>(from[my])] ? MPI_PROC_NULL : from[my];
    /* nor with neither source nor target */
    if (is_simple && source == MPI_PROC_NULL && target == MPI_PROC_NULL)
        return;
    const bool is_replacing = (mode == 2 || mode == 3) && !others[my];
    struct Memory {
        Buffer send, receive;
    };
    const auto memory = std::make_shared<Memory>(Memory{
        Buffer(unit, count), Buffer(part.layout, static_cast<MPI_Aint>(count) * part.multiple)});
    fill(memory->send.base(), unit, count, key + static_cast<uint64_t>(me));
    const auto check = [&script, memory, is_replacing, unit, part, count, source,
                        key](MPI_Status *) {
        if (source == MPI_PROC_NULL)
            return;
        const std::vector<char> got = is_replacing
            ? packed(memory->send.base(), unit, count)
            : packed(memory->receive.base(), part.layout,
                     static_cast<MPI_Aint>(count) * part.multiple);
        script.expect(got == sent(unit, count, key + static_cast<uint64_t>(source)),
                      "wrong data of a shift");
    };
    void *const out = memory->send.base(), *const in = memory->receive.base();
    MPI_Request request;
    script.say("shift, mode %d%s, comm %d, to %d from %d", mode, others[my] ? " apart" : "",
               comm->number, target, source);
    if (others[my]) {
        MPI_Irecv(in, count * part.multiple, part.layout.handle(), source, tag, comm->handle,
                  &request);
        if (script.own.chance(50)) {
            MPI_Request more;
            MPI_Isend(out, count, unit.handle(), target, tag, comm->handle, &more);
            script.add(more, due, [memory](MPI_Status *) {});
        } else
            MPI_Send(out, count, unit.handle(), target, tag, comm->handle);
        script.add(request, due, check);
        return;
    }
    if (mode == 0 || mode == 4) {
        MPI_Sendrecv(out, count, unit.handle(), target, tag, in, count * part.multiple,
                     part.layout.handle(), source, tag, comm->handle, MPI_STATUS_IGNORE);
        check(nullptr);
    } else if (mode == 1) {
        MPI_Isendrecv(out, count, unit.handle(), target, tag, in, count * part.multiple,
                      part.layout.handle(), source, tag, comm->handle, &request);
        script.add(request, due, check);
    } else if (mode == 2) {
        MPI_Sendrecv_replace(out, count, unit.handle(), target, tag, source, tag, comm->handle,
                             MPI_STATUS_IGNORE);
        check(nullptr);
    } else {
        MPI_Isendrecv_replace(out, count, unit.handle(), target, tag, source, tag, comm->handle,
                              &request);
        script.add(request, due, check);
    }
}

/* Receives that get nothing and are cancelled, and operations with MPI_PROC_NULL */
inline void nothing(Script &script)
{
    const auto comm = script.any_comm();
    const int tag = script.tag(), way = script.draw.below(4);
    const int process = script.draw.below(script.processes);
    if (process != script.me || !comm->has(script.me))
        return;
    script.say("nothing, way %d, comm %d", way, comm->number);
    int value = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    if (way == 0 || way == 1) {
        const int source =
            script.own.chance(30) && !script.options.is_deterministic ? MPI_ANY_SOURCE : 0;
        if (way == 0)
            MPI_Irecv(&value, 1, MPI_INT, source, tag, comm->handle, &request);
        else {
            MPI_Recv_init(&value, 1, MPI_INT, source, tag, comm->handle, &request);
            MPI_Start(&request);
        }
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        int is_cancelled;
        MPI_Test_cancelled(&status, &is_cancelled);
        script.expect(is_cancelled, "not cancelled");
        if (way == 1)
            MPI_Request_free(&request);
        return;
    }
    if (way == 2) {
        MPI_Mprobe(MPI_PROC_NULL, tag, comm->handle, &message, &status);
        script.expect(message == MPI_MESSAGE_NO_PROC, "message of no process");
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Probe(MPI_PROC_NULL, tag, comm->handle, &status);
        script.expect(status.MPI_SOURCE == MPI_PROC_NULL, "probe of no process");
        return;
    }
    MPI_Recv(junk_pointer(script), 0, MPI_INT, MPI_PROC_NULL, tag, comm->handle, MPI_STATUS_IGNORE);
    MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, tag, comm->handle);
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, tag, &value, 1, MPI_INT, MPI_PROC_NULL, tag,
                 comm->handle, MPI_STATUS_IGNORE);
}

inline void flush_buffer(Script &script)
{
    void *old;
    int size;
    MPI_Buffer_detach(&old, &size);
    script.expect(size == buffer_size, "another buffer");
    MPI_Buffer_attach(old, size);
    buffered() = 0;
}

}  // namespace messages

#endif
