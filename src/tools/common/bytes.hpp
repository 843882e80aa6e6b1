/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Bytes of calls: the sums of what movement.hpp says, as defined in qmpi-count(7), "Bytes". Traffic
 * follows operations from start to completion and counts their bytes. */

#ifndef QMPI_BYTES_HPP_INCLUDED
#define QMPI_BYTES_HPP_INCLUDED

#include "communicators.hpp"
#include "movement.hpp"
#include "operations.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace qmpi {
inline namespace v1 {

struct Bytes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;

    bool is_zero() const { return sent == 0 && received == 0; }
};

namespace bytes {

/* The group of a movement. */
class Group {
  public:
    QMPI_INLINE explicit Group(const Shape *shape) : shape_(shape) {}

    QMPI_INLINE bool is_known() const { return shape_ != nullptr; }
    QMPI_INLINE bool is_inter() const { return shape_->is_inter; }
    QMPI_INLINE int rank() const { return shape_->rank; }
    QMPI_INLINE int size() const { return shape_->size; }
    QMPI_INLINE int remote_size() const { return shape_->remote_size; }

    QMPI_INLINE int neighbors(Side side) const
    {
        const std::vector<bool> &all = neighbors_at(side);
        return static_cast<int>(std::count(all.begin(), all.end(), true));
    }

    /* Ranks are 0 or MPI_PROC_NULL. */
    template <typename Visit>
    void each_neighbor(Side side, Visit visit) const
    {
        int index = 0;
        for (const bool exists : neighbors_at(side))
            visit(index++, exists ? 0 : int{MPI_PROC_NULL});
    }

  private:
    const std::vector<bool> &neighbors_at(Side side) const
    {
        return side == Side::sent ? shape_->destinations : shape_->sources;
    }

    const Shape *shape_;
};

/* Adds up the messages of a movement. */
class Sum {
  public:
    static constexpr bool is_sum = true;

    QMPI_INLINE void one(Side side, int, std::uint64_t bytes) { add(side, bytes); }
    QMPI_INLINE void self(Side side, std::uint64_t bytes) { add(side, bytes); }
    QMPI_INLINE void many(Side side, Whom, std::uint64_t number, std::uint64_t bytes)
    {
        add(side, number * bytes);
    }

    Bytes sum;

  private:
    QMPI_INLINE void add(Side side, std::uint64_t bytes)
    {
        (side == Side::sent ? sum.sent : sum.received) += bytes;
    }
};

template <qmpi::operation operation, bool is_neighborhood, typename Group>
QMPI_INLINE Bytes sum_of(const movement::Description &description, Group &group)
{
    Sum sum;
    movement::Movement(description, group, sum).template run<operation, is_neighborhood>();
    return sum.sum;
}

/* Compiled once for an operation, which many functions have. */
template <qmpi::operation operation, bool is_neighborhood, typename Group>
[[gnu::noinline]] Bytes sum_of_collective(const movement::Description &description, Group &group)
{
    return sum_of<operation, is_neighborhood>(description, group);
}

}  // namespace bytes

/* Facts that bytes_of_call() needs from before the call. */
template <typename Call>
QMPI_INLINE movement::Description description_of([[maybe_unused]] Call &call)
{
    using qmpi::operation;
    if constexpr (Call::buffers.empty() || Call::operation == operation::pack ||
                  Call::operation == operation::read || Call::operation == operation::receive)
        return {};
    else
        return movement::describe(call);
}

/* Bytes that the arguments of a call describe, without those that a status has. To be queried after
 * it succeeded: then the library has checked the arguments. Thread-safe.
 *   description, group   of the call and its communicator, from before the call */
template <typename Call, typename Group>
QMPI_INLINE Bytes bytes_of_call([[maybe_unused]] Call &call,
                                [[maybe_unused]] const movement::Description &description,
                                [[maybe_unused]] Group &&group) noexcept
{
    using qmpi::operation;
    if constexpr (Call::buffers.empty() || Call::operation == operation::pack ||
                  Call::operation == operation::read)
        return {};
    else if constexpr (Call::operation == operation::receive) {
        if constexpr (Call::form == qmpi::form::enqueued)
            return {0, movement::described_receive(call).bytes};
        else
            return {};
    } else if constexpr (Call::operation == operation::write)
        return {description.send.amount.at(0), 0};
    else {
        constexpr bool is_neighborhood = Call::is_in(qmpi::set::neighbourhood);
        if constexpr (Call::is_collective)
            return bytes::sum_of_collective<Call::operation, is_neighborhood>(description, group);
        else
            return bytes::sum_of<Call::operation, is_neighborhood>(description, group);
    }
}

/* Makes calls and counts their bytes: of an operation when it starts, at each start of a persistent
 * one, and what it receives when it completes, by its status. Tag is data of the tool that each
 * operation carries. Thread-safe. */
template <typename Tag>
class Traffic {
  public:
    /* communicators: at least with their shapes */
    explicit Traffic(Communicators &communicators) : communicators_(communicators) {}

    /* An operation with a request. */
    struct Operation {
        MPI_Functions_enum function; /* that describes it */
        bool is_file;
        bool receives;    /* its status says how much */
        bool is_recorded; /* set when it starts, by the tool if persistent */
        Bytes bytes;      /* moved at each start */
        movement::Received described;
        Tag tag;
    };

    /* Functions that it must follow even while the tool does not record. */
    template <typename Call>
    static constexpr bool needs()
    {
        return uses_requests<Call>() || Communicators::concerns<Call>();
    }

    /* Makes the call.
     *   bytes             of this call, for its function
     *   tag()             for an operation that needs a request
     *   visit(operation, bytes, has_started)
     *                     an operation that this call started (a persistent one) or completed */
    template <typename Call, typename MakeTag, typename Visit>
    QMPI_INLINE auto follow(Call &call, Bytes &bytes, MakeTag tag, Visit visit)
    {
        (void) bytes, (void) tag, (void) visit;
        if constexpr (uses_requests<Call>())
            return operations_.complete(
                call, [&visit](Operation &operation, const MPI_Status *status, Outcome outcome) {
                    note(operation, status, outcome, visit);
                });
        else if constexpr (!moves<Call>())
            return communicators_.watch(call);
        else {
            const bytes::Group group = group_of(call);
            const movement::Description description = description_of(call);
            return operations_.begin(
                call, [&] { return communicators_.watch(call); },
                [&](const MPI_Status *status) {
                    return describe(call, description, group, status, bytes, tag);
                });
        }
    }

  private:
    template <typename Call>
    static constexpr bool moves()
    {
        return (!Call::buffers.empty() && Call::operation != qmpi::operation::pack) ||
            movement::has_read_status<Call>();
    }

    /* Of a collective call; query before the call. */
    template <typename Call>
    QMPI_INLINE bytes::Group group_of([[maybe_unused]] Call &call)
    {
        if constexpr (Call::is_collective && Call::has(qmpi::role::communicator))
            return bytes::Group(communicators_.shape_of(
                qmpi::get_or<qmpi::role::communicator>(call, MPI_COMM_NULL)));
        else
            return bytes::Group(nullptr);
    }

    /* The same after the call succeeded. */
    template <typename Call>
    QMPI_INLINE Bytes bytes_in(Call &call, const movement::Description &description,
                               const bytes::Group &group)
    {
        if constexpr (Call::is_collective && Call::has(qmpi::role::communicator)) {
            if (!group.is_known())
                return bytes_of_unknown(call, description);
        }
        return bytes_of_call(call, description, group);
    }

    template <typename Call>
    [[gnu::noinline]] Bytes bytes_of_unknown(Call &call, const movement::Description &description)
    {
        const Communicators::Shared found =
            communicators_.of(qmpi::get<qmpi::role::communicator>(call));
        return found == nullptr ? Bytes()
                                : bytes_of_call(call, description, bytes::Group(found->shape));
    }

    template <typename Call>
    static constexpr bool by_status()
    {
        return movement::has_received_status<Call>() || movement::has_read_status<Call>();
    }

    template <typename Call, typename MakeTag>
    QMPI_INLINE std::optional<Operation> describe(Call &call,
                                                  const movement::Description &description,
                                                  const bytes::Group &group,
                                                  [[maybe_unused]] const MPI_Status *status,
                                                  Bytes &bytes, [[maybe_unused]] MakeTag &tag)
    {
        constexpr bool is_persistent = movement::is_persistent(Call::form);
        if constexpr (!is_persistent)
            bytes = bytes_in(call, description, group);
        if constexpr (by_status<Call>() && Call::has(qmpi::role::status)) {
            if constexpr (movement::has_read_status<Call>())
                bytes.received += movement::bytes_in(*status);
            else
                bytes.received +=
                    movement::received_by(*status, movement::described_receive(call)).bytes;
        } else if constexpr (is_persistent || by_status<Call>()) {
            Operation operation{
                Call::id, movement::has_read_status<Call>(), by_status<Call>(), true, {}, {},
                tag()};
            if constexpr (movement::has_received_status<Call>())
                operation.described = movement::described_receive(call);
            if constexpr (is_persistent)
                operation.bytes = bytes_in(call, description, group);
            if (!operation.bytes.is_zero() || operation.described.source != MPI_PROC_NULL ||
                operation.is_file)
                return operation;
        }
        return std::nullopt;
    }

    template <typename Visit>
    static void note(Operation &operation, const MPI_Status *status, Outcome outcome, Visit &visit)
    {
        if (outcome == Outcome::started) {
            visit(operation, operation.bytes, true);
            return;
        }
        if (outcome != Outcome::completed || !operation.receives || !operation.is_recorded)
            return;
        const std::uint64_t received = operation.is_file
            ? movement::bytes_in(*status)
            : movement::received_by(*status, operation.described).bytes;
        if (received > 0)
            visit(operation, Bytes{0, received}, false);
    }

    Communicators &communicators_;
    Operations<Operation> operations_;
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_BYTES_HPP_INCLUDED */
