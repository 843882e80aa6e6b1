/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The data that a call moves between processes. This is the one meaning of a byte for all tools;
 * qmpi-messages(7) has it as a table. bytes.hpp adds up the bytes of a call, patterns.hpp makes its
 * messages. */

#ifndef QMPI_MOVEMENT_HPP_INCLUDED
#define QMPI_MOVEMENT_HPP_INCLUDED

#include "handles.hpp"

#include <qmpi.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace qmpi {
inline namespace v1 {

enum class Side : std::uint8_t { sent, received };

/* Peers, relative to the calling process. Groups are not enumerated, so the cost of a collective
 * operation does not depend on its size. */
enum class Whom : std::uint8_t {
    one,
    others, /* all of the communicator but the calling process */
    below,  /* all of lower rank */
    above,
    remote /* all of the remote group */
};

namespace movement {

/* ---- classes of functions ---- */

constexpr bool is_point_to_point(qmpi::operation operation)
{
    return operation == qmpi::operation::send || operation == qmpi::operation::receive ||
        operation == qmpi::operation::sendrecv;
}

constexpr bool is_collective_data(qmpi::operation operation)
{
    return operation >= qmpi::operation::bcast && operation <= qmpi::operation::exscan;
}

constexpr bool is_one_sided(qmpi::operation operation)
{
    return operation >= qmpi::operation::put && operation <= qmpi::operation::compare_and_swap;
}

/* The request of the function describes the operation, MPI_Start starts it. */
constexpr bool is_persistent(qmpi::form form)
{
    return form == qmpi::form::persistent || form == qmpi::form::partitioned;
}

/* A status says how much arrived, or was read. MPI fills the status of an enqueued receive later. */
template <typename Call>
constexpr bool has_received_status()
{
    return (Call::operation == qmpi::operation::receive ||
            Call::operation == qmpi::operation::sendrecv) &&
        Call::form != qmpi::form::enqueued;
}

template <typename Call>
constexpr bool has_read_status()
{
    return Call::operation == qmpi::operation::read && Call::form != qmpi::form::begin;
}

/* The library sets the status of the receive. MPICH does not for MPI_Isendrecv, unless it only receives: what a
 * status has then is by chance. */
constexpr bool sets_status(qmpi::operation operation, qmpi::form form, int destination)
{
    return operation != qmpi::operation::sendrecv || form != qmpi::form::nonblocking ||
        destination == MPI_PROC_NULL;
}

/* ---- what arrived ---- */

/* A message, by a status or by arguments. */
struct Received {
    int source = MPI_PROC_NULL; /* negative: no message */
    int tag = MPI_ANY_TAG;
    std::uint64_t bytes = 0;
    bool has_status = true; /* described by arguments: the library sets a status */
};

/* A status counts bytes; MPICH's can be read, which is much cheaper than a query. */
template <typename Status>
auto bytes_in(const Status &status, int)
    -> decltype(status.count_lo + status.count_hi_and_cancelled, std::uint64_t())
{
    const auto high = static_cast<unsigned>(status.count_hi_and_cancelled) >> 1;
    return static_cast<std::uint64_t>(high) << 32 | static_cast<unsigned>(status.count_lo);
}

template <typename Status>
std::uint64_t bytes_in(const Status &status, long)
{
    MPI_Count bytes = 0;
    if (QMPI_Get_count_c(&status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
        return 0;
    return static_cast<std::uint64_t>(bytes);
}

inline std::uint64_t bytes_in(const MPI_Status &status)
{
    return bytes_in(status, 0);
}

/* described: by the arguments. MPICH leaves the status of partitioned receives empty; without a status, a receive from
 * MPI_ANY_SOURCE stays unknown. */
inline Received received_by(const MPI_Status &status, const Received &described)
{
    /* The library does not always set the status of a receive from MPI_PROC_NULL. */
    if (described.source == MPI_PROC_NULL)
        return {};
    if (described.has_status && status.MPI_SOURCE >= 0)
        return {status.MPI_SOURCE, status.MPI_TAG, bytes_in(status)};
    const bool is_empty = !described.has_status || status.MPI_SOURCE == MPI_ANY_SOURCE;
    return is_empty && described.source >= 0 ? described : Received();
}

/* ---- the arguments of a call ---- */

/* Sizes of the usual predefined datatypes, which never change. */
class QMPI_DETAIL_HIDDEN PredefinedSizes {
  public:
    /* nullptr before the first make(). */
    static const PredefinedSizes *get() { return made_.load(std::memory_order_acquire); }

    /* Queries the library. */
    static void make()
    {
        static const PredefinedSizes &made = *new PredefinedSizes;
        made_.store(&made, std::memory_order_release);
    }

    /* False if unknown. */
    QMPI_INLINE bool find(MPI_Datatype datatype, std::uint64_t &size) const
    {
        const Slot &slot = slots_[slot_of(datatype)];
        size = slot.size;
        return slot.datatype == datatype;
    }

  private:
    PredefinedSizes()
    {
        for (MPI_Datatype datatype : predefined_datatypes()) {
            MPI_Count size = 0;
            if (datatype != MPI_DATATYPE_NULL && QMPI_Type_size_x(datatype, &size) == MPI_SUCCESS &&
                size >= 0)
                slots_[slot_of(datatype)] = {datatype, static_cast<std::uint64_t>(size)};
        }
    }

    struct Slot {
        MPI_Datatype datatype = MPI_DATATYPE_NULL;
        std::uint64_t size = 0;
    };

    static std::size_t slot_of(MPI_Datatype datatype)
    {
        return static_cast<std::size_t>(hash_of_handle(datatype) >> 56);
    }

    static inline std::atomic<const PredefinedSizes *> made_{nullptr};
    std::array<Slot, 256> slots_;
};

/* Sizes of the program's datatypes, from when they are made. They stay after the datatype is freed: a
 * call of another thread may still use it. */
using DatatypeSizes = HandleTable<MPI_Datatype, std::uint64_t>;

inline std::uint64_t query_size(MPI_Datatype datatype)
{
    MPI_Count size = 0;
    if (QMPI_Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return static_cast<std::uint64_t>(size);
}

/* Without a query; false if unknown. */
QMPI_INLINE bool find_size(MPI_Datatype datatype, std::uint64_t &size)
{
    const PredefinedSizes *const predefined = PredefinedSizes::get();
    return (predefined != nullptr && predefined->find(datatype, size)) ||
        DatatypeSizes::find(datatype, size);
}

/* Of a datatype in a call that succeeded; an unknown one is predefined. */
inline std::uint64_t size_of(MPI_Datatype datatype)
{
    std::uint64_t size = 0;
    if (find_size(datatype, size))
        return size;
    PredefinedSizes::make();
    if (!find_size(datatype, size)) {
        size = query_size(datatype);
        DatatypeSizes::set(datatype, size);
    }
    return size;
}

constexpr bool is_made_datatype(const qmpi::parameter &parameter)
{
    return parameter.role == qmpi::role::datatype && parameter.direction == qmpi::direction::out &&
        !parameter.is_array;
}

/* Functions that make a datatype. Tools that count bytes call them by follow_datatype(). */
template <typename Call>
constexpr bool makes_datatype()
{
    for (const qmpi::parameter &parameter : Call::parameters) {
        if (is_made_datatype(parameter))
            return true;
    }
    return false;
}

template <typename Call, typename Next>
int follow_datatype(Call &call, Next next)
{
    const int error_code = next();
    if (error_code == MPI_SUCCESS)
        call.each_argument([](auto index, auto &value) {
            if constexpr (is_made_datatype(Call::parameters[decltype(index)::value])) {
                if (*value != MPI_DATATYPE_NULL)
                    DatatypeSizes::set(*value, query_size(*value));
            }
        });
    return error_code;
}

/* A buffer argument. Makes no library call before at(): arguments that are not significant in the
 * calling process may be invalid. */
class Amount {
  public:
    Amount() = default;

    template <typename Buffer>
    QMPI_INLINE explicit Amount(const Buffer &buffer)
    {
        set_count(buffer.count);
        if constexpr (Buffer::is_typed)
            datatypes_ = buffer.datatype;
        else {
            datatype_ = buffer.datatype;
            has_size_ = find_size(datatype_, size_);
        }
    }

    /* True if it is the same for all peers. */
    QMPI_INLINE bool is_uniform() const { return counts_ == nullptr && large_counts_ == nullptr; }

    /* Bytes for a process or neighbor. Without elements the datatype may be invalid. */
    QMPI_INLINE std::uint64_t at(int index) const
    {
        const MPI_Count count = counts_ != nullptr ? counts_[index]
            : large_counts_ != nullptr             ? large_counts_[index]
                                                   : count_;
        if (count <= 0)
            return 0;
        if (datatypes_ != nullptr)
            return static_cast<std::uint64_t>(count) * size_of(datatypes_[index]);
        if (!has_size_) {
            size_ = size_of(datatype_);
            has_size_ = true;
        }
        return static_cast<std::uint64_t>(count) * size_;
    }

  private:
    QMPI_INLINE void set_count(MPI_Count count) { count_ = count; }
    QMPI_INLINE void set_count(const int *counts) { counts_ = counts; }
    QMPI_INLINE void set_count(const MPI_Count *counts) { large_counts_ = counts; }

    MPI_Count count_ = 0;
    const int *counts_ = nullptr;
    const MPI_Count *large_counts_ = nullptr;
    MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
    const MPI_Datatype *datatypes_ = nullptr;
    mutable std::uint64_t size_ = 0; /* of datatype_ */
    mutable bool has_size_ = false;
};

struct Data {
    Amount amount;
    bool is_in_place = false;
};

struct Description {
    qmpi::operation operation = qmpi::operation::none;
    bool is_neighborhood = false;
    bool sends = false; /* false: only receives or queries */
    int root = MPI_PROC_NULL;
    int peer = MPI_PROC_NULL; /* destination or target */
    Data send, receive;
    Data second; /* operand of MPI_Compare_and_swap */
};

/* Describe before the call: another thread may free a datatype while the call waits, and its handle may
 * be used again. */
template <typename Call>
QMPI_INLINE Description describe(Call &call)
{
    using qmpi::get_or;
    using qmpi::role;
    Description description;
    description.operation = Call::operation;
    description.is_neighborhood = Call::is_in(qmpi::set::neighbourhood);
    description.root = get_or<role::root>(call, MPI_PROC_NULL);
    description.peer = get_or<role::destination>(call, get_or<role::target>(call, MPI_PROC_NULL));
    call.each_buffer([&description](const auto &buffer) {
        const Data data{Amount(buffer), buffer.address == MPI_IN_PLACE};
        if (buffer.direction != qmpi::direction::in)
            description.receive = data;
        if (buffer.direction == qmpi::direction::out)
            return;
        (description.sends ? description.second : description.send) = data;
        description.sends = true;
    });
    /* MPI_NO_OP ignores the origin buffer and its datatype. */
    if constexpr (is_one_sided(Call::operation))
        description.sends =
            description.sends && get_or<role::operation>(call, MPI_OP_NULL) != MPI_NO_OP;
    return description;
}

/* The receive that the arguments describe. Its amount is computed only where the status may be
 * empty. */
template <typename Call>
QMPI_INLINE Received described_receive(Call &call)
{
    using qmpi::role;
    Received received;
    received.source = qmpi::get_or<role::source>(call, MPI_ANY_SOURCE);
    if constexpr (Call::has(role::tag)) {
        constexpr std::size_t tag = Call::has(role::tag, 1) ? 1 : 0;
        received.tag = qmpi::get<role::tag, tag>(call);
    }
    received.has_status = sets_status(Call::operation, Call::form,
                                      qmpi::get_or<role::destination>(call, MPI_PROC_NULL));
    if constexpr (Call::form == qmpi::form::partitioned || Call::form == qmpi::form::enqueued ||
                  (Call::operation == qmpi::operation::sendrecv &&
                   Call::form == qmpi::form::nonblocking)) {
        if (received.source >= 0)
            received.bytes = describe(call).receive.amount.at(0);
    }
    return received;
}

/* ---- the table of meanings ---- */

/* Gives the messages of one operation to a sink:
 *
 *     sink.one(side, rank, bytes)            a peer; rank in the group of peers
 *     sink.self(side, bytes)                 the calling process, from buffer to buffer
 *     sink.many(side, whom, number, bytes)   each of a number of peers
 *
 * A group answers, as late as possible: is_inter(), rank(), size(), remote_size(), neighbors(side),
 * their number, and each_neighbor(side, visit(index, rank)). A sink that only adds up (is_sum) does
 * not need to know the neighbors. In a collective operation an empty message is none: no
 * process waits for it. */
template <typename Group, typename Sink>
class Movement {
  public:
    QMPI_INLINE Movement(const Description &description, Group &group, Sink &sink)
        : call_(description), group_(group), sink_(sink)
    {
    }

    /* The operation of the description. A template, so that a function of a tool has the code for its
     * own operation only. */
    template <qmpi::operation own, bool is_neighborhood>
    QMPI_INLINE void run()
    {
        using qmpi::operation;
        if constexpr (is_neighborhood) {
            neighbors(Side::sent, call_.send.amount);
            neighbors(Side::received, call_.receive.amount);
        } else if constexpr (is_one_sided(own))
            one_sided();
        else if constexpr (own == operation::send || own == operation::sendrecv)
            send();
        else if constexpr (own == operation::bcast)
            from_root_to_each(call_.send.amount);
        else if constexpr (own == operation::gather)
            from_each_to_root(call_.receive.amount);
        else if constexpr (own == operation::scatter)
            scatter();
        else if constexpr (own == operation::allgather)
            allgather();
        else if constexpr (own == operation::alltoall)
            alltoall();
        else if constexpr (own == operation::reduce)
            from_each_to_root(call_.send.amount);
        else if constexpr (own == operation::allreduce)
            allreduce();
        else if constexpr (own == operation::reduce_scatter)
            reduce_scatter();
        else if constexpr (own == operation::scan)
            scan(true);
        else if constexpr (own == operation::exscan)
            scan(false);
    }

  private:
    QMPI_INLINE bool takes_part() { return !group_.is_inter() || call_.root != MPI_PROC_NULL; }

    QMPI_INLINE bool is_root()
    {
        return group_.is_inter() ? call_.root == MPI_ROOT : call_.root == group_.rank();
    }

    QMPI_INLINE void one(Side side, int rank, std::uint64_t bytes)
    {
        if (bytes > 0)
            sink_.one(side, rank, bytes);
    }

    QMPI_INLINE void many(Side side, Whom whom, int number, std::uint64_t bytes)
    {
        if (bytes > 0 && number > 0)
            sink_.many(side, whom, static_cast<std::uint64_t>(number), bytes);
    }

    /* All of the remote group, or all but the calling process. */
    QMPI_INLINE void each(Side side, std::uint64_t bytes)
    {
        if (group_.is_inter())
            many(side, Whom::remote, group_.remote_size(), bytes);
        else
            many(side, Whom::others, group_.size() - 1, bytes);
    }

    QMPI_INLINE void each(Side side, const Amount &amount)
    {
        if (amount.is_uniform()) {
            each(side, amount.at(0));
            return;
        }
        const int number = group_.is_inter() ? group_.remote_size() : group_.size();
        const int own = group_.is_inter() ? -1 : group_.rank();
        for (int i = 0; i < number; i++) {
            if (i != own)
                one(side, i, amount.at(i));
        }
    }

    /* True if the send buffer is copied to the own receive buffer. */
    QMPI_INLINE bool keeps_own(const Data &in_place)
    {
        return !in_place.is_in_place && !group_.is_inter();
    }

    QMPI_INLINE void own(std::uint64_t sent, std::uint64_t received)
    {
        if (sent > 0)
            sink_.self(Side::sent, sent);
        if (received > 0)
            sink_.self(Side::received, received);
    }

    /* The part of the calling process in an amount; asks for its rank only if that matters. */
    QMPI_INLINE std::uint64_t own_part(const Amount &amount)
    {
        return amount.at(amount.is_uniform() ? 0 : group_.rank());
    }

    /* Counts even if empty, since the receiver waits for it. The status has the receive side. */
    QMPI_INLINE void send()
    {
        if (call_.peer != MPI_PROC_NULL)
            sink_.one(Side::sent, call_.peer, call_.send.amount.at(0));
    }

    QMPI_INLINE void from_root_to_each(const Amount &amount)
    {
        if (!takes_part())
            return;
        if (is_root())
            each(Side::sent, amount);
        else
            one(Side::received, call_.root, amount.at(0));
    }

    QMPI_INLINE void from_each_to_root(const Amount &received)
    {
        if (!takes_part())
            return;
        if (!is_root()) {
            one(Side::sent, call_.root, call_.send.amount.at(0));
            return;
        }
        each(Side::received, received);
        if (keeps_own(call_.send))
            own(call_.send.amount.at(0), own_part(received));
    }

    QMPI_INLINE void scatter()
    {
        if (!takes_part())
            return;
        if (!is_root()) {
            one(Side::received, call_.root, call_.receive.amount.at(0));
            return;
        }
        each(Side::sent, call_.send.amount);
        if (keeps_own(call_.receive))
            own(own_part(call_.send.amount), call_.receive.amount.at(0));
    }

    QMPI_INLINE void allgather()
    {
        const std::uint64_t sent =
            call_.send.is_in_place ? own_part(call_.receive.amount) : call_.send.amount.at(0);
        each(Side::sent, sent);
        each(Side::received, call_.receive.amount);
        if (keeps_own(call_.send))
            own(sent, own_part(call_.receive.amount));
    }

    QMPI_INLINE void alltoall()
    {
        const Amount &sent = call_.send.is_in_place ? call_.receive.amount : call_.send.amount;
        each(Side::sent, sent);
        each(Side::received, call_.receive.amount);
        if (keeps_own(call_.send))
            own(own_part(sent), own_part(call_.receive.amount));
    }

    QMPI_INLINE void allreduce()
    {
        const std::uint64_t bytes = call_.send.amount.at(0);
        each(Side::sent, bytes);
        each(Side::received, bytes);
        if (keeps_own(call_.send))
            own(bytes, bytes);
    }

    /* Counts are those of the local group. Between groups only the total of the remote group is
     * known; it is divided evenly, which is exact for equal counts. */
    QMPI_INLINE void reduce_scatter()
    {
        const Amount &amount = call_.receive.amount;
        if (!group_.is_inter()) {
            each(Side::sent, amount);
            each(Side::received, own_part(amount));
            if (keeps_own(call_.send))
                own(own_part(amount), own_part(amount));
            return;
        }
        std::uint64_t all = 0;
        for (int i = 0; i < group_.size(); i++)
            all += amount.at(i);
        const auto number = static_cast<std::uint64_t>(group_.remote_size());
        for (std::uint64_t i = 0; i < number; i++)
            one(Side::sent, static_cast<int>(i), all / number + (i < all % number));
        each(Side::received, own_part(amount));
    }

    QMPI_INLINE void scan(bool is_inclusive)
    {
        const std::uint64_t bytes = call_.send.amount.at(0);
        many(Side::sent, Whom::above, group_.size() - group_.rank() - 1, bytes);
        many(Side::received, Whom::below, group_.rank(), bytes);
        if (is_inclusive && keeps_own(call_.send))
            own(bytes, bytes);
    }

    QMPI_INLINE void neighbors(Side side, const Amount &amount)
    {
        if constexpr (Sink::is_sum) {
            if (amount.is_uniform()) {
                many(side, Whom::others, group_.neighbors(side), amount.at(0));
                return;
            }
        }
        group_.each_neighbor(side, [&](int index, int rank) {
            if (rank != MPI_PROC_NULL)
                one(side, rank, amount.at(index));
        });
    }

    /* The target makes no call; only the origin sees the transfer. */
    QMPI_INLINE void one_sided()
    {
        if (call_.peer == MPI_PROC_NULL)
            return;
        if (call_.sends)
            one(Side::sent, call_.peer, call_.send.amount.at(0) + call_.second.amount.at(0));
        one(Side::received, call_.peer, call_.receive.amount.at(0));
    }

    const Description &call_;
    Group &group_;
    Sink &sink_;
};

}  // namespace movement
}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_MOVEMENT_HPP_INCLUDED */
