/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Bytes of calls: the sums of what movement.hpp says, as defined in qmpi-count(7), "Bytes". Traffic
 * follows operations from start to completion and counts their bytes. */

#ifndef QMPI_BYTES_HPP_INCLUDED
#define QMPI_BYTES_HPP_INCLUDED

#include "handles.hpp"
#include "movement.hpp"
#include "requests.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace qmpi {

struct Bytes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;

    bool is_zero() const { return sent == 0 && received == 0; }
};

namespace bytes {

/* Facts of a communicator. Unknown until queried. */
struct GroupFacts {
    static constexpr int unknown = -1; /* no result of the queries */

    int is_inter = unknown, rank = unknown, size = unknown, remote_size = unknown;
    int sources = unknown, destinations = unknown; /* neighbors but MPI_PROC_NULL */
};

/* A thread's facts about the communicators that it used last. */
class GroupCache {
  public:
    /* The handle of a communicator may get another meaning. */
    static void forget_all() { generation_.fetch_add(1, std::memory_order_release); }

    QMPI_INLINE static GroupFacts &facts_of(MPI_Comm comm)
    {
        Slot &slot = slots_[hash_of_handle(comm) >> 60];
        const std::uint64_t generation = generation_.load(std::memory_order_acquire);
        if (slot.comm != comm || slot.generation != generation)
            slot = {comm, generation, {}};
        return slot.facts;
    }

  private:
    struct Slot {
        MPI_Comm comm;
        std::uint64_t generation;
        GroupFacts facts;
    };

    static inline std::atomic<std::uint64_t> generation_{1};
    static inline thread_local Slot slots_[16] = {};
};

/* The group of a movement, by queries to the library, at most one of each kind per communicator. */
class QueriedGroup {
  public:
    QMPI_INLINE explicit QueriedGroup(MPI_Comm comm) : comm_(comm) {}

    QMPI_INLINE bool is_inter() { return get(facts().is_inter, QMPI_Comm_test_inter) != 0; }
    QMPI_INLINE int rank() { return get(facts().rank, QMPI_Comm_rank); }
    QMPI_INLINE int size() { return get(facts().size, QMPI_Comm_size); }
    QMPI_INLINE int remote_size() { return get(facts().remote_size, QMPI_Comm_remote_size); }

    QMPI_INLINE int neighbors(Side side)
    {
        int &number = side == Side::sent ? facts().destinations : facts().sources;
        if (number == GroupFacts::unknown) {
            number = 0;
            each_neighbor(side, [&number](int, int rank) { number += rank != MPI_PROC_NULL; });
        }
        return number;
    }

    /* Ranks are 0 or MPI_PROC_NULL. */
    template <typename Visit>
    void each_neighbor(Side side, Visit visit) const
    {
        int topology = MPI_UNDEFINED, number = 0, out = 0, weighted;

        QMPI_Topo_test(comm_, &topology);
        if (topology == MPI_CART) {
            each_in_grid(visit);
            return;
        }
        if (topology == MPI_GRAPH) {
            int rank = 0;
            QMPI_Comm_rank(comm_, &rank);
            QMPI_Graph_neighbors_count(comm_, rank, &number);
            out = number;
        } else if (topology == MPI_DIST_GRAPH)
            QMPI_Dist_graph_neighbors_count(comm_, &number, &out, &weighted);
        for (int i = 0; i < (side == Side::sent ? out : number); i++)
            visit(i, 0);
    }

  private:
    QMPI_INLINE GroupFacts &facts()
    {
        if (facts_ == nullptr)
            facts_ = &GroupCache::facts_of(comm_);
        return *facts_;
    }

    template <typename Query>
    QMPI_INLINE int get(int &value, Query query)
    {
        if (value == GroupFacts::unknown) {
            value = 0;
            query(comm_, &value);
        }
        return value;
    }

    /* In the block order of the collective operations: below and above in each dimension. */
    template <typename Visit>
    void each_in_grid(Visit visit) const
    {
        int dimensions = 0;
        QMPI_Cartdim_get(comm_, &dimensions);
        const auto number = static_cast<std::size_t>(dimensions);
        std::vector<int> grid(3 * number + 1);
        int *const sizes = grid.data(), *const are_periodic = sizes + number,
                   *const coordinates = are_periodic + number;
        QMPI_Cart_get(comm_, dimensions, sizes, are_periodic, coordinates);
        for (int i = 0; i < dimensions; i++) {
            const bool has_below = are_periodic[i] || coordinates[i] > 0;
            const bool has_above = are_periodic[i] || coordinates[i] + 1 < sizes[i];
            visit(2 * i, has_below ? 0 : MPI_PROC_NULL);
            visit(2 * i + 1, has_above ? 0 : MPI_PROC_NULL);
        }
    }

    const MPI_Comm comm_;
    GroupFacts *facts_ = nullptr;
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

/* False if a call cannot move data. Query before the call: a matched receive from MPI_PROC_NULL is
 * recognised by its message handle only. */
template <typename Call>
bool moves_data([[maybe_unused]] Call &call)
{
    if constexpr (Call::operation == qmpi::operation::receive && Call::has(qmpi::role::message)) {
        const MPI_Message *message = qmpi::get<qmpi::role::message>(call);
        return message == nullptr || *message != MPI_MESSAGE_NO_PROC;
    } else
        return !Call::buffers.empty() || Call::operation == qmpi::operation::read;
}

/* Bytes that the arguments of a call describe, without those that a status has. To be queried after
 * it succeeded: then the library has checked the arguments, and querying the size of a datatype
 * cannot fail. Thread-safe.
 *   group   of the call's communicator */
template <typename Call, typename Group>
QMPI_INLINE Bytes bytes_of_call(Call &call, [[maybe_unused]] Group &&group) noexcept
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
        return {movement::describe(call).send.amount.at(0), 0};
    else {
        const movement::Description description = movement::describe(call);
        constexpr bool is_neighborhood = Call::is_in(qmpi::set::neighbourhood);
        if constexpr (Call::is_collective)
            return bytes::sum_of_collective<Call::operation, is_neighborhood>(description, group);
        else
            return bytes::sum_of<Call::operation, is_neighborhood>(description, group);
    }
}

template <typename Call>
QMPI_INLINE bytes::QueriedGroup group_of(Call &call)
{
    return bytes::QueriedGroup(qmpi::get_or<qmpi::role::communicator>(call, MPI_COMM_NULL));
}

/* Makes calls and counts their bytes: of an operation when it starts, at each start of a persistent
 * one, and what it receives when it completes, by its status. Tag is data of the tool that each
 * operation carries. Thread-safe. */
template <typename Tag>
class Traffic {
  public:
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

    /* Functions that concern it; all others just make the call. */
    template <typename Call>
    static constexpr bool concerns()
    {
        return moves<Call>() || needs<Call>();
    }

    /* Functions that it must follow even while the tool does not record. */
    template <typename Call>
    static constexpr bool needs()
    {
        return uses_requests<Call>() || frees_communicator<Call>();
    }

    /* Makes the call by next().
     *   bytes             of this call, for its function
     *   tag()             for an operation that needs a request
     *   visit(operation, bytes, has_started)
     *                     an operation that this call started (a persistent one) or completed */
    template <typename Call, typename Next, typename MakeTag, typename Visit>
    QMPI_INLINE auto follow(Call &call, Bytes &bytes, Next next, MakeTag tag, Visit visit)
    {
        (void) bytes, (void) tag, (void) visit;
        if constexpr (uses_requests<Call>())
            return complete(call, requests_,
                            [&visit](Operation &operation, const MPI_Status *status,
                                     Outcome outcome) { note(operation, status, outcome, visit); });
        else if constexpr (frees_communicator<Call>()) {
            /* Before the call: another thread may get the same handle at once. */
            bytes::GroupCache::forget_all();
            return next();
        } else if constexpr (!moves<Call>())
            return next();
        else {
            if (!moves_data(call))
                return next();
            MPI_Status own_status;
            [[maybe_unused]] const MPI_Status *status = nullptr;
            if constexpr (by_status<Call>() && Call::has(qmpi::role::status)) {
                MPI_Status *&given = qmpi::get<qmpi::role::status>(call);
                if (given == MPI_STATUS_IGNORE)
                    given = &own_status;
                status = given;
            }
            const auto result = next();
            if (result != MPI_SUCCESS)
                return result;
            if constexpr (!movement::is_persistent(Call::form))
                bytes = bytes_of_call(call, group_of(call));
            if constexpr (by_status<Call>() && Call::has(qmpi::role::status)) {
                if constexpr (movement::has_read_status<Call>())
                    bytes.received += movement::bytes_in(*status);
                else
                    bytes.received +=
                        movement::received_by(*status, movement::described_receive(call)).bytes;
            } else if constexpr (movement::is_persistent(Call::form) || by_status<Call>())
                add(call, tag);
            return result;
        }
    }

  private:
    template <typename Call>
    static constexpr bool moves()
    {
        return (!Call::buffers.empty() && Call::operation != qmpi::operation::pack) ||
            movement::has_read_status<Call>();
    }

    template <typename Call>
    static constexpr bool frees_communicator()
    {
        return Call::has(qmpi::effect::frees) &&
            Call::parameters[Call::index(qmpi::effect::frees)].role == qmpi::role::communicator;
    }

    template <typename Call>
    static constexpr bool by_status()
    {
        return movement::has_received_status<Call>() || movement::has_read_status<Call>();
    }

    template <typename Call, typename MakeTag>
    void add(Call &call, MakeTag &tag)
    {
        Operation operation{
            Call::id, movement::has_read_status<Call>(), by_status<Call>(), true, {}, {}, tag()};
        if constexpr (movement::has_received_status<Call>())
            operation.described = movement::described_receive(call);
        if constexpr (movement::is_persistent(Call::form))
            operation.bytes = bytes_of_call(call, group_of(call));
        if (operation.bytes.is_zero() && operation.described.source == MPI_PROC_NULL &&
            !operation.is_file)
            return;
        const MPI_Request request = *qmpi::get<qmpi::role::request>(call);
        if constexpr (movement::is_persistent(Call::form))
            requests_.add_persistent(request, std::move(operation));
        else
            requests_.add(request, std::move(operation));
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

    Requests<Operation> requests_;
};

}  // namespace qmpi

#endif /* QMPI_BYTES_HPP_INCLUDED */
