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
#include "process.hpp"
#include "requests.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace qmpi {

struct Bytes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;

    bool is_zero() const { return sent == 0 && received == 0; }
};

namespace bytes {

/* Facts of a communicator. */
struct GroupFacts {
    int is_inter = 0, rank = 0, size = 0, remote_size = 0;
    /* In the block order of neighborhood collectives: false for MPI_PROC_NULL. */
    std::vector<bool> sources, destinations;

    bool operator<(const GroupFacts &other) const
    {
        return std::tie(is_inter, rank, size, remote_size, sources, destinations) <
            std::tie(other.is_inter, other.rank, other.size, other.remote_size, other.sources,
                     other.destinations);
    }
};

/* Facts of the communicators, from when they are made. */
class Groups {
  public:
    /* nullptr if unknown. Query before the call that uses the communicator. */
    QMPI_INLINE static const GroupFacts *of(MPI_Comm comm)
    {
        const GroupFacts *facts = nullptr;
        return Table::find(comm, facts) ? facts : of_predefined(comm);
    }

    /* A function has returned the communicator. */
    static void learn(MPI_Comm comm)
    {
        if (comm != MPI_COMM_NULL)
            Table::set(comm, keep(query(comm)));
    }

    /* facts: nullptr if unknown */
    static void learn(MPI_Comm comm, const GroupFacts *facts)
    {
        if (facts != nullptr)
            Table::set(comm, facts);
    }

    static void forget(MPI_Comm comm) { Table::forget(comm); }

    /* After a call succeeded with a communicator that was unknown: another tool has made it. */
    [[gnu::noinline]] static const GroupFacts *of_other_tool(MPI_Comm comm)
    {
        return keep(query(comm));
    }

  private:
    using Table = HandleTable<MPI_Comm, const GroupFacts *>;

    [[gnu::noinline]] static const GroupFacts *of_predefined(MPI_Comm comm)
    {
        const GroupFacts *facts = nullptr;
        if ((comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF) || !is_world_up())
            return nullptr;
        learn(comm);
        Table::find(comm, facts);
        return facts;
    }

    /* Never freed: there are few different ones, and threads refer to them. */
    static const GroupFacts *keep(GroupFacts &&facts)
    {
        static auto &lock = *new std::mutex;
        static auto &all = *new std::set<GroupFacts>;
        const std::lock_guard<std::mutex> guard(lock);
        return &*all.insert(std::move(facts)).first;
    }

    static GroupFacts query(MPI_Comm comm)
    {
        GroupFacts facts;
        QMPI_Comm_test_inter(comm, &facts.is_inter);
        QMPI_Comm_rank(comm, &facts.rank);
        QMPI_Comm_size(comm, &facts.size);
        if (facts.is_inter)
            QMPI_Comm_remote_size(comm, &facts.remote_size);
        else
            query_neighbors(comm, facts);
        return facts;
    }

    static void query_neighbors(MPI_Comm comm, GroupFacts &facts)
    {
        int topology = MPI_UNDEFINED, sources = 0, destinations = 0, is_weighted;

        QMPI_Topo_test(comm, &topology);
        if (topology == MPI_CART) {
            query_grid(comm, facts);
            return;
        }
        if (topology == MPI_GRAPH) {
            QMPI_Graph_neighbors_count(comm, facts.rank, &sources);
            destinations = sources;
        } else if (topology == MPI_DIST_GRAPH)
            QMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &is_weighted);
        facts.sources.resize(static_cast<std::size_t>(sources), true);
        facts.destinations.resize(static_cast<std::size_t>(destinations), true);
    }

    /* Below and above in each dimension. */
    static void query_grid(MPI_Comm comm, GroupFacts &facts)
    {
        int dimensions = 0;
        QMPI_Cartdim_get(comm, &dimensions);
        const auto number = static_cast<std::size_t>(dimensions);
        std::vector<int> grid(3 * number + 1);
        int *const sizes = grid.data(), *const are_periodic = sizes + number,
                   *const coordinates = are_periodic + number;
        QMPI_Cart_get(comm, dimensions, sizes, are_periodic, coordinates);
        for (std::size_t i = 0; i < number; i++) {
            facts.sources.push_back(are_periodic[i] || coordinates[i] > 0);
            facts.sources.push_back(are_periodic[i] || coordinates[i] + 1 < sizes[i]);
        }
        facts.destinations = facts.sources;
    }
};

/* The group of a movement. */
class Group {
  public:
    QMPI_INLINE explicit Group(const GroupFacts *facts) : facts_(facts) {}

    QMPI_INLINE bool is_known() const { return facts_ != nullptr; }
    QMPI_INLINE bool is_inter() const { return facts_->is_inter != 0; }
    QMPI_INLINE int rank() const { return facts_->rank; }
    QMPI_INLINE int size() const { return facts_->size; }
    QMPI_INLINE int remote_size() const { return facts_->remote_size; }

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
        return side == Side::sent ? facts_->destinations : facts_->sources;
    }

    const GroupFacts *facts_;
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

/* Of a collective call; query before the call. */
template <typename Call>
QMPI_INLINE bytes::Group group_of([[maybe_unused]] Call &call)
{
    if constexpr (Call::is_collective && Call::has(qmpi::role::communicator))
        return bytes::Group(
            bytes::Groups::of(qmpi::get_or<qmpi::role::communicator>(call, MPI_COMM_NULL)));
    else
        return bytes::Group(nullptr);
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
        return uses_requests<Call>() || frees_communicator<Call>() || makes_communicator<Call>() ||
            movement::makes_datatype<Call>();
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
            return complete(call, *requests_,
                            [&visit](Operation &operation, const MPI_Status *status,
                                     Outcome outcome) { note(operation, status, outcome, visit); });
        else if constexpr (frees_communicator<Call>())
            return follow_free(qmpi::get<qmpi::role::communicator>(call), next);
        else if constexpr (makes_communicator<Call>())
            return follow_made(call, next);
        else if constexpr (movement::makes_datatype<Call>())
            return movement::follow_datatype(call, next);
        else if constexpr (!moves<Call>())
            return next();
        else {
            if (!moves_data(call))
                return next();
            const bytes::Group group = group_of(call);
            const movement::Description description = description_of(call);
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
                bytes = bytes_in(call, description, group);
            if constexpr (by_status<Call>() && Call::has(qmpi::role::status)) {
                if constexpr (movement::has_read_status<Call>())
                    bytes.received += movement::bytes_in(*status);
                else
                    bytes.received +=
                        movement::received_by(*status, movement::described_receive(call)).bytes;
            } else if constexpr (movement::is_persistent(Call::form) || by_status<Call>())
                add(call, description, group, tag);
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
        return frees_handle<Call>(qmpi::role::communicator);
    }

    template <typename Call>
    static constexpr bool makes_communicator()
    {
        return index_of_made<Call>(qmpi::role::communicator) != qmpi::none;
    }

    /* Forget before the call: another thread may get the same handle at once. */
    template <typename Next>
    static auto follow_free(MPI_Comm *place, Next &next)
    {
        const MPI_Comm comm = place == nullptr ? MPI_COMM_NULL : *place;
        const bytes::GroupFacts *const facts = bytes::Groups::of(comm);
        bytes::Groups::forget(comm);
        const auto result = next();
        if (result != MPI_SUCCESS)
            bytes::Groups::learn(comm, facts);
        return result;
    }

    /* A copy must not be queried before its request completes. */
    template <typename Call, typename Next>
    static auto follow_made(Call &call, Next &next)
    {
        constexpr bool is_copy = Call::form == qmpi::form::nonblocking;
        const bytes::GroupFacts *original = nullptr;
        if constexpr (is_copy)
            original = bytes::Groups::of(qmpi::get<qmpi::role::communicator>(call));
        const auto result = next();
        if (result != MPI_SUCCESS)
            return result;
        const MPI_Comm made =
            *call.template argument<index_of_made<Call>(qmpi::role::communicator)>();
        if constexpr (is_copy)
            bytes::Groups::learn(made, original);
        else
            bytes::Groups::learn(made);
        return result;
    }

    template <typename Call>
    QMPI_INLINE static Bytes bytes_in(Call &call, const movement::Description &description,
                                      const bytes::Group &group)
    {
        if constexpr (Call::is_collective && Call::has(qmpi::role::communicator)) {
            if (!group.is_known())
                return bytes_of_call(call, description,
                                     bytes::Group(bytes::Groups::of_other_tool(
                                         qmpi::get<qmpi::role::communicator>(call))));
        }
        return bytes_of_call(call, description, group);
    }

    template <typename Call>
    static constexpr bool by_status()
    {
        return movement::has_received_status<Call>() || movement::has_read_status<Call>();
    }

    template <typename Call, typename MakeTag>
    void add(Call &call, const movement::Description &description, const bytes::Group &group,
             MakeTag &tag)
    {
        Operation operation{
            Call::id, movement::has_read_status<Call>(), by_status<Call>(), true, {}, {}, tag()};
        if constexpr (movement::has_received_status<Call>())
            operation.described = movement::described_receive(call);
        if constexpr (movement::is_persistent(Call::form))
            operation.bytes = bytes_in(call, description, group);
        if (operation.bytes.is_zero() && operation.described.source == MPI_PROC_NULL &&
            !operation.is_file)
            return;
        const MPI_Request request = *qmpi::get<qmpi::role::request>(call);
        if constexpr (movement::is_persistent(Call::form))
            requests_->add_persistent(request, std::move(operation));
        else
            requests_->add(request, std::move(operation));
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

    forever<Requests<Operation>> requests_;
};

}  // namespace qmpi

#endif /* QMPI_BYTES_HPP_INCLUDED */
