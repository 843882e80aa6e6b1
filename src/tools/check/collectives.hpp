/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Calls that all processes of a communicator make in the same order. */

#ifndef TOOLS_CHECK_COLLECTIVES_HPP_INCLUDED
#define TOOLS_CHECK_COLLECTIVES_HPP_INCLUDED

#include "agreement.hpp"
#include "collective_memory.hpp"
#include "functions.hpp"
#include "operations.hpp"
#include "participants.hpp"
#include "waiting.hpp"

#include <qmpi.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qmpi::check {

/* MPICH 5 has freed the communicator, and says with its error code that the process had messages on it
 * that it did not receive. */
bool has_unmatched_messages(int function, int error_code);

/* Thread-safe. */
class Collectives {
  public:
    Collectives(LocalProcess &process, Operations &operations, Waiting &waiting)
        : process_(process), operations_(operations), waiting_(waiting)
    {
    }

    template <typename Call>
    int intercept(Call &call, const Here &here)
    {
        Current current(process_.position(here), communicator_of(call));
        if (current.communicator != nullptr)
            describe(call, current);
        begin(current, Call::is_in(qmpi::set::persistent));
        int error_code;
        if constexpr (has_request<Call>()) {
            error_code = operations_.go(call);
            if (error_code == MPI_SUCCESS)
                follow(current, *qmpi::get<qmpi::role::request>(call),
                       Call::is_in(qmpi::set::persistent));
        } else {
            if constexpr (Call::id == MPI_INTERCOMM_CREATE_T)
                expect_leader(current, call.template argument<1>(), call.template argument<2>(),
                              call.template argument<3>(), call.template argument<4>());
            const Blocked blocked = wait(current);
            error_code = operations_.go(call);
        }
        end(current, error_code);
        if constexpr (Call::id == MPI_FILE_OPEN_T) {
            if (error_code == MPI_SUCCESS)
                follow_file(current, *qmpi::get<qmpi::role::file>(call),
                            call.template argument<1>());
        }
        return error_code;
    }

    /* A collective operation on a file: it is only compared, as it may wait for no other process. */
    template <typename Call>
    void use_file(Call &call, const Here &here)
    {
        use_file(handle_of<qmpi::role::file>(call), process_.position(here), agreed_by(call));
    }

    /* The call has made an intercommunicator with processes that are in no communicator of its arguments.
     * They go on when they have it, too, as after a barrier: the first operation on it. function: the
     * same in all processes. */
    void join(MPI_Comm made, int function, const Here &here);

    /* No other process takes part in the call. */
    template <typename Call>
    bool is_alone(Call &call)
    {
        return is_alone(communicator_of(call), Call::id);
    }

    /* Completes and sends the event of a call; returns what the call waits for. */
    Expected report(const SharedCommunicator &communicator, CollectiveEvent event);

  private:
    /* A call. What does not depend on the function is not in the template, which each of some 150
     * functions has. */
    struct Current {
        Current(const Position &position, SharedCommunicator communicator);
        ~Current();

        Position position;
        SharedCommunicator communicator; /* null: not known */
        CollectiveEvent event;
        Ranges ranges; /* memory that the call uses */
        Expected expected;
        std::optional<Expected> leader; /* the other one, of an intercommunicator to make */
    };

    template <typename Call>
    SharedCommunicator communicator_of(Call &call)
    {
        if constexpr (makes_of_group(Call::id))
            return process_.communicator_to_make(call);
        else
            return process_.communicator(handle_of<qmpi::role::communicator>(call));
    }

    void follow_file(const Current &current, MPI_File file, const std::string &name);
    void use_file(MPI_File file, const Position &position, std::uint64_t agreed);
    std::uint64_t operation_of(MPI_Op op);
    std::uint64_t agreed_group(MPI_Group group);

    void begin(Current &current, bool is_persistent);
    /* The arguments that only the leader of a group has. */
    void expect_leader(Current &current, int own, MPI_Comm peers, int other, int tag);
    Blocked wait(const Current &current);
    void follow(Current &current, MPI_Request request, bool is_persistent);

    /* Of the event, see CollectiveEvent. */
    static std::vector<int> sources_of(const CollectiveEvent &event,
                                       const Communicator &communicator);

    /* Null if it is not compared. */
    static std::shared_ptr<CollectiveObject> persistent(const Current &current);
    static bool is_alone(const SharedCommunicator &communicator, int function);
    static bool keeps_order(const Current &current, int error_code);
    void end(const Current &current, int error_code);

    /* The side exchanges a block with each of these, some of which may be the same or MPI_PROC_NULL.
     * The topology decides which of several blocks another process gets first, so they are left out
     * unless they are equal. */
    static void restrict_to(const std::vector<int> &ranks, Side &side);

    template <typename Call>
    void describe(Call &call, Current &current)
    {
        const Communicator &communicator = *current.communicator;
        const Participants participants(communicator,
                                        qmpi::get_or<qmpi::role::root>(call, MPI_UNDEFINED));
        describe(call, communicator, participants, current.event);
        const auto add = [&](const void *address, MPI_Count count, MPI_Datatype datatype,
                             bool is_written) {
            operations_.add_range(current.ranges, address, count, datatype, is_written);
        };
        CollectiveMemory(call, communicator, participants, process_.types, add);
    }

    template <typename Call>
    void describe(Call &call, const Communicator &communicator, const Participants &participants,
                  CollectiveEvent &event)
    {
        using qmpi::role;
        event.rank = participants.rank;
        event.second = participants.second;
        event.root = participants.root;
        if (participants.root == MPI_PROC_NULL)
            return;
        if constexpr (Call::has(role::operation))
            event.operation = operation_of(qmpi::get<role::operation>(call));
        if constexpr (Call::id == MPI_COMM_CREATE_T)
            event.agreed = agreed_group(qmpi::get<role::group>(call));
        else
            event.agreed = agreed_by(call);
        /* The groups of an intercommunicator may divide what they reduce differently. */
        if (communicator.is_inter && Call::operation == qmpi::operation::reduce_scatter)
            return;
        constexpr Flow flow = flow_of<Call>();
        if constexpr (flow == Flow::neighbours)
            describe_neighbours(call, communicator, event);
        else if constexpr (flow == Flow::reduce_scatter)
            describe_parts(call, communicator, event);
        else if constexpr (flow == Flow::reduce)
            /* The type of all; other processes do not know which ones work in place. */
            event.same = process_.types.signature(qmpi::get<role::datatype>(call),
                                                  qmpi::get<role::count>(call));
        else if constexpr (flow != Flow::none)
            describe_exchange<flow>(call, participants, event);
    }

    /* Data flow that can be compared. */
    enum class Flow { none, bcast, gather, scatter, exchange, neighbours, reduce, reduce_scatter };

    template <typename Call>
    static constexpr Flow flow_of()
    {
        if (Call::is_in(qmpi::set::neighbourhood))
            return Call::buffers.size() == 2 ? Flow::neighbours : Flow::none;
        switch (Call::operation) {
        case qmpi::operation::bcast:
            return Flow::bcast;
        case qmpi::operation::gather:
            return Flow::gather;
        case qmpi::operation::scatter:
            return Flow::scatter;
        case qmpi::operation::allgather:
        case qmpi::operation::alltoall:
            return Flow::exchange;
        case qmpi::operation::reduce_scatter:
            return Call::layout == qmpi::layout::uniform ? Flow::reduce : Flow::reduce_scatter;
        case qmpi::operation::reduce:
        case qmpi::operation::allreduce:
        case qmpi::operation::scan:
        case qmpi::operation::exscan:
            return Flow::reduce;
        default:
            return Flow::none;
        }
    }

    /* Data that the process sends to and receives from others. */
    template <Flow flow, typename Call>
    void describe_exchange(Call &call, const Participants &participants, CollectiveEvent &event)
    {
        int n = 0;
        call.each_buffer([&](const auto &buffer) {
            const bool is_first = n++ == 0;
            if (buffer.address == MPI_IN_PLACE || !participants.template uses<Call>(!is_first))
                return;
            const bool is_sent = flow == Flow::bcast ? participants.is_root() : is_first;
            const bool is_for_all = flow == Flow::exchange || (flow == Flow::gather) != is_sent;
            Side &side = is_sent ? event.sent : event.received;
            side.begin = is_for_all ? participants.first_peer : participants.root;
            side.end = side.begin + (is_for_all ? participants.peers : 1);
            fill(side, buffer, participants.peers);
        });
    }

    template <typename Call>
    void describe_neighbours(Call &call, const Communicator &communicator, CollectiveEvent &event)
    {
        bool is_received = false;
        call.each_buffer([&](const auto &buffer) {
            Side &side = is_received ? event.received : event.sent;
            const std::vector<int> &peers =
                is_received ? communicator.sources : communicator.destinations;
            fill(side, buffer, static_cast<int>(peers.size()));
            restrict_to(peers, side);
            is_received = true;
        });
    }

    /* Each process has a contribution to the part of each other one, of the same size everywhere. */
    template <typename Call>
    void describe_parts(Call &call, const Communicator &communicator, CollectiveEvent &event)
    {
        const auto own = static_cast<std::size_t>(communicator.rank);
        int n = 0;
        call.each_buffer([&](const auto &buffer) {
            if (n++ == 0)
                fill(event.sent, buffer, communicator.size);
        });
        event.received.blocks = {event.sent.blocks[own]};
    }

    template <typename Buffer>
    void fill(Side &side, const Buffer &buffer, int size)
    {
        if constexpr (!Buffer::is_vector)
            add_block(side, buffer.datatype, buffer.count);
        else {
            for (int i = 0; i < size; i++) {
                if constexpr (Buffer::is_typed)
                    add_block(side, buffer.datatype[i], buffer.count[i]);
                else
                    add_block(side, buffer.datatype, buffer.count[i]);
            }
        }
    }

    void add_block(Side &side, MPI_Datatype datatype, MPI_Count count);

    LocalProcess &process_;
    Operations &operations_;
    Waiting &waiting_;
    std::mutex lock_;
    std::unordered_map<std::uint64_t, std::uint64_t>
        numbers_; /* number of operations per communicator */

    struct File {
        SharedCommunicator communicator;
        CollectiveObject uses;
        std::string name;
    };
    std::unordered_map<MPI_File, File> files_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_COLLECTIVES_HPP_INCLUDED */
