/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Arguments that MPI ignores in the calling process. They may have any value, even that of a freed handle. */

#ifndef TOOLS_CHECK_SIGNIFICANCE_HPP_INCLUDED
#define TOOLS_CHECK_SIGNIFICANCE_HPP_INCLUDED

#include "functions.hpp"
#include "local_process.hpp"
#include "participants.hpp"

#include <qmpi.hpp>

#include <cstddef>
#include <string_view>

namespace qmpi::check {

/* MPI_Comm_spawn, MPI_Comm_accept, ...: the root describes the other processes. */
template <typename Call>
constexpr bool is_of_root_only(qmpi::role role)
{
    return Call::is_in(qmpi::set::processes) && Call::has(qmpi::role::root) &&
        role != qmpi::role::communicator;
}

/* The leader describes the other group of an intercommunicator. */
constexpr bool is_of_leader_only(std::string_view name)
{
    return name == "peer_comm" || name == "remote_group";
}

/* The call uses its buffers in some of the processes only. */
template <typename Call>
constexpr bool depends_on_process()
{
    return Call::has(qmpi::role::root) || Call::operation == qmpi::operation::exscan;
}

/* The call uses the buffer with that number. communicator: if the call depends on the process; null if unknown */
template <typename Call>
bool uses_buffer(Call &call, const Communicator *communicator, std::size_t number)
{
    using qmpi::role;
    (void) call, (void) communicator, (void) number;
    if constexpr (is_matched_receive<Call>()) {
        const MPI_Message *message = qmpi::get<role::message>(call);
        return message == nullptr || *message != MPI_MESSAGE_NO_PROC;
    } else if constexpr (Call::operation == qmpi::operation::fetch)
        return number > 0 || qmpi::get<role::operation>(call) != MPI_NO_OP;
    else if constexpr (depends_on_process<Call>()) {
        if (communicator == nullptr)
            return false;
        /* In place, the second buffer has the data of the first process, too. */
        if (Call::operation == qmpi::operation::exscan &&
            call.template argument<Call::buffers[0].address>() == MPI_IN_PLACE)
            return true;
        const int root = qmpi::get_or<role::root>(call, MPI_UNDEFINED);
        return Participants(*communicator, root).template uses<Call>(number > 0);
    } else
        return true;
}

/* The datatype of buffers, which the call uses some of, other than that of an operation in place. */
template <typename Call>
bool uses_datatype(Call &call, const Communicator *communicator, std::size_t parameter)
{
    std::size_t number = 0;
    bool is_of_buffer = false, is_used = false;
    call.each_buffer([&](const auto &buffer) {
        if (Call::buffers[number].datatype == parameter) {
            is_of_buffer = true;
            is_used = is_used ||
                (buffer.address != MPI_IN_PLACE && uses_buffer(call, communicator, number));
        }
        number++;
    });
    return is_used || !is_of_buffer;
}

/* Those of the own group of an intercommunicator that are not the root take no part. */
template <typename Call>
bool takes_part(Call &call)
{
    return qmpi::get_or<qmpi::role::root>(call, MPI_UNDEFINED) != MPI_PROC_NULL;
}

/* Rank of the process in the group that the leader's is in. */
template <typename Call>
int rank_in_group(Call &call, LocalProcess &process)
{
    using qmpi::role;
    int rank = MPI_UNDEFINED;
    if constexpr (Call::has(role::group)) {
        const MPI_Group group = qmpi::get<role::group>(call);
        if (process.handles.is_live({role::group, qmpi::handle_value(group)}))
            QMPI_Group_rank(group, &rank);
    } else if (const auto own = process.communicator(qmpi::get<role::communicator>(call)))
        rank = own->rank;
    return rank;
}

/* An argument that is a handle. */
template <std::size_t i, typename Call>
bool is_significant(Call &call, LocalProcess &process)
{
    using qmpi::role;
    (void) call, (void) process;
    constexpr qmpi::parameter parameter = Call::parameters[i];
    if constexpr (is_of_leader_only(parameter.name))
        return rank_in_group(call, process) ==
            call.template argument<Call::index("local_leader")>();
    else if constexpr (is_of_root_only<Call>(parameter.role))
        return rank_in_group(call, process) == qmpi::get<role::root>(call);
    else if constexpr (parameter.role == role::datatype && !Call::buffers.empty()) {
        SharedCommunicator communicator;
        if constexpr (depends_on_process<Call>())
            communicator = process.communicator(qmpi::get<role::communicator>(call));
        return uses_datatype(call, communicator.get(), i);
    } else
        return parameter.role != role::operation || takes_part(call);
}

/* The types of empty blocks of a structure are ignored. */
template <std::size_t i, typename Call>
bool is_significant_element(Call &call, MPI_Count element)
{
    (void) call, (void) element;
    constexpr std::size_t index = Call::index("array_of_blocklengths");
    if constexpr (index != qmpi::none && Call::parameters[i].role == qmpi::role::datatype) {
        const auto *lengths = call.template argument<index>();
        return lengths == nullptr || lengths[element] != 0;
    } else
        return true;
}

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_SIGNIFICANCE_HPP_INCLUDED */
