/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Decomposes a call into pairwise messages. The table of meanings is in qmpi-messages(7), the code
 * in decompose() in patterns.cpp. */

#ifndef TOOLS_PATTERNS_HPP_INCLUDED
#define TOOLS_PATTERNS_HPP_INCLUDED

#include "bytes.hpp"
#include "communicators.hpp"

#include <qmpi.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tools {

enum class Kind : std::uint8_t { point_to_point, collective, one_sided };

enum class Side : std::uint8_t { sent, received };

/* Peers of a part, relative to the calling process. Groups are not enumerated, so the cost of a
 * collective does not depend on its size. */
enum class Whom : std::uint8_t {
    one,
    others, /* all of the communicator but the calling process */
    below,  /* all of lower rank */
    above,
    remote /* all of the remote group */
};

/* One message of a size to, or from, each of some processes. */
struct Part {
    Side side;
    Whom whom;
    int peer; /* Whom::one: world rank, or outside_world */
    std::uint64_t bytes;
};

/* Parts of a call; usually one or two. */
class Parts {
  public:
    void add(const Part &part)
    {
        if (number_ < few_.size())
            few_[number_] = part;
        else {
            if (many_.empty())
                many_.assign(few_.begin(), few_.end());
            many_.push_back(part);
        }
        number_++;
    }

    const Part *begin() const { return many_.empty() ? few_.data() : many_.data(); }
    const Part *end() const { return begin() + number_; }

  private:
    std::size_t number_ = 0;
    std::array<Part, 2> few_{};
    std::vector<Part> many_;
};

/* Number of peers, and their world ranks. Not for Whom::one. */
std::size_t number_of(Whom whom, const Communicator &communicator);
std::vector<int> world_ranks_of(Whom whom, const Communicator &communicator);

/* Source and size of a receive by its status; nothing for MPI_PROC_NULL. */
void add_received(Parts &parts, const MPI_Status &status, const Communicator &communicator);

/* Internals of parts_of(). */
namespace patterns {

/* Groups of functions with the same meaning: blocking, nonblocking and persistent, one count or
 * many. */
enum class Operation {
    none,
    message, /* send side; the status gives the receive side */
    bcast,
    gather,
    scatter,
    allgather,
    alltoall,
    reduce,
    allreduce,
    reduce_scatter,
    scan,
    exscan,
    neighbor_allgather,
    neighbor_alltoall,
    one_sided
};

constexpr Operation collective_operation_of(std::string_view name)
{
    auto is = [name](std::string_view kind) { return bytes::is_kind(name, kind); };

    if (is("bcast"))
        return Operation::bcast;
    if (is("gather") || is("gatherv"))
        return Operation::gather;
    if (is("scatter") || is("scatterv"))
        return Operation::scatter;
    if (is("allgather") || is("allgatherv"))
        return Operation::allgather;
    if (is("alltoall") || is("alltoallv") || is("alltoallw"))
        return Operation::alltoall;
    if (is("reduce"))
        return Operation::reduce;
    if (is("allreduce"))
        return Operation::allreduce;
    if (is("reduce_scatter") || is("reduce_scatter_block"))
        return Operation::reduce_scatter;
    if (is("scan"))
        return Operation::scan;
    if (is("exscan"))
        return Operation::exscan;
    if (is("neighbor_allgather") || is("neighbor_allgatherv"))
        return Operation::neighbor_allgather;
    if (is("neighbor_alltoall") || is("neighbor_alltoallv") || is("neighbor_alltoallw"))
        return Operation::neighbor_alltoall;
    return Operation::none;
}

template <typename Call>
constexpr Operation operation_of()
{
    if (Call::buffers.empty())
        return Operation::none;
    if (Call::is_in(qmpi::set::rma))
        return Call::has(qmpi::role::target) ? Operation::one_sided : Operation::none;
    if (Call::is_in(qmpi::set::collective))
        return collective_operation_of(Call::name);
    if (Call::is_in(qmpi::set::point_to_point | qmpi::set::partitioned))
        return Call::has(qmpi::role::tag) || Call::has(qmpi::role::message) ? Operation::message
                                                                            : Operation::none;
    return Operation::none;
}

/* True if the function writes to a buffer. */
template <typename Call>
constexpr bool fills()
{
    for (const qmpi::buffer_parameters &buffer : Call::buffers) {
        if (buffer.direction != qmpi::direction::in)
            return true;
    }
    return false;
}

/* MPICH 4.0 completes their requests without a useful status. */
template <typename Call>
constexpr bool is_nonblocking_sendrecv()
{
    return Call::id == MPI_ISENDRECV_T || Call::id == MPI_ISENDRECV_C_T ||
        Call::id == MPI_ISENDRECV_REPLACE_T || Call::id == MPI_ISENDRECV_REPLACE_C_T;
}

/* A buffer argument. Makes no library call before at(): arguments that are not significant in the
 * calling process may be invalid. */
class Amount {
  public:
    Amount() = default;

    template <typename Buffer>
    explicit Amount(const Buffer &buffer)
    {
        set_count(buffer.count);
        if constexpr (Buffer::is_typed)
            datatypes_ = buffer.datatype;
        else
            datatype_ = buffer.datatype;
    }

    /* True if it is the same for all peers. */
    bool is_uniform() const { return counts_ == nullptr && large_counts_ == nullptr; }

    /* Bytes for a process or neighbour. */
    std::uint64_t at(int index) const;

  private:
    void set_count(MPI_Count count) { count_ = count; }
    void set_count(const int *counts) { counts_ = counts; }
    void set_count(const MPI_Count *counts) { large_counts_ = counts; }

    MPI_Count count_ = 0;
    const int *counts_ = nullptr;
    const MPI_Count *large_counts_ = nullptr;
    MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
    const MPI_Datatype *datatypes_ = nullptr;
};

struct Data {
    Amount amount;
    bool is_in_place = false;
};

struct Description {
    Operation operation;
    int root;
    int peer;   /* destination or target */
    int source; /* of a message without a status */
    bool sends; /* false: only receives or queries */
    Data send, receive;
    std::uint64_t further = 0; /* bytes of a second operand */
};

Parts decompose(const Description &description, const Communicator &communicator);

}  // namespace patterns

/* True if the function can imply messages. */
template <typename Call>
constexpr bool communicates()
{
    return patterns::operation_of<Call>() != patterns::Operation::none;
}

/* True if it receives one message whose status is known on completion. */
template <typename Call>
constexpr bool receives_message()
{
    return patterns::operation_of<Call>() == patterns::Operation::message &&
        patterns::fills<Call>() && !patterns::is_nonblocking_sendrecv<Call>();
}

template <typename Call>
constexpr Kind kind_of()
{
    if (Call::is_in(qmpi::set::rma))
        return Kind::one_sided;
    return Call::is_in(qmpi::set::collective) ? Kind::collective : Kind::point_to_point;
}

/* Messages that a call implies for the calling process, except the one of receives_message(). Query
 * right after the call succeeded.
 *   communicator     of the call, or of its window */
template <typename Call>
Parts parts_of(Call &call, const Communicator &communicator)
{
    using qmpi::get_or;
    using qmpi::role;
    /* constexpr, since it compares function names. */
    constexpr patterns::Operation operation = patterns::operation_of<Call>();
    constexpr bool needs_source = patterns::is_nonblocking_sendrecv<Call>();
    patterns::Description description{
        operation,
        get_or<role::root>(call, MPI_PROC_NULL),
        get_or<role::destination>(call, get_or<role::target>(call, MPI_PROC_NULL)),
        needs_source ? get_or<role::source>(call, MPI_PROC_NULL) : MPI_PROC_NULL,
        get_or<role::operation>(call, MPI_OP_NULL) != MPI_NO_OP,
        {},
        {}};
    bool has_send = false;

    call.each_buffer([&](const auto &buffer) {
        const patterns::Data data{patterns::Amount(buffer), buffer.address == MPI_IN_PLACE};
        if (buffer.direction != qmpi::direction::in)
            description.receive = data;
        if (buffer.direction == qmpi::direction::out)
            return;
        if (has_send)
            description.further += data.amount.at(0);
        else
            description.send = data;
        has_send = true;
    });
    description.sends = description.sends && has_send;
    return patterns::decompose(description, communicator);
}

}  // namespace tools

#endif /* TOOLS_PATTERNS_HPP_INCLUDED */
