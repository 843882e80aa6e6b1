/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Classes of functions for the rules, by the facts of qmpi.hpp. */

#ifndef TOOLS_CHECK_FUNCTIONS_HPP_INCLUDED
#define TOOLS_CHECK_FUNCTIONS_HPP_INCLUDED

#include "../common/communicators.hpp"

#include <qmpi.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace qmpi::check {

/* Makes a communicator of a group, or of two, in a call of the processes of these groups. */
constexpr bool makes_of_group(int function)
{
    return function == MPI_COMM_CREATE_FROM_GROUP_T || function == MPI_COMM_CREATE_GROUP_T ||
        function == MPI_INTERCOMM_CREATE_FROM_GROUPS_T;
}

template <typename Call>
constexpr bool is_collective()
{
    return makes_of_group(Call::id) || (Call::is_collective && Call::has(qmpi::role::communicator));
}

/* Of all processes that have opened the file */
template <typename Call>
constexpr bool is_collective_on_file()
{
    return Call::is_collective && Call::is_in(qmpi::set::io) && Call::has(qmpi::role::file) &&
        !Call::has(qmpi::role::communicator);
}

/* Functions of MPI-IO by which a process can learn of what others have written, in atomic mode or after
 * MPI_File_sync, or of their places in a file that they share, and those for published names. */
template <typename Call>
constexpr bool may_order_by_name_or_file()
{
    constexpr std::string_view name = Call::name;
    if (Call::is_in(qmpi::set::processes))
        return !Call::has(qmpi::role::communicator) && Call::index("service_name") != qmpi::none;
    if (!Call::is_in(qmpi::set::io) || !Call::has(qmpi::role::file))
        return false;
    return Call::id == MPI_FILE_SET_ATOMICITY_T || Call::id == MPI_FILE_SYNC_T ||
        Call::id == MPI_FILE_GET_SIZE_T || name.find("_shared") != name.npos ||
        name.find("_ordered") != name.npos;
}

/* Tests for something, and returns at once if it has not happened. */
template <typename Call>
constexpr bool is_test()
{
    using qmpi::operation;
    return Call::operation == operation::test || Call::operation == operation::arrived ||
        Call::operation == operation::status || Call::id == MPI_WIN_TEST_T ||
        (Call::operation == operation::probe && Call::has(qmpi::role::flag));
}

/* After a successful test */
template <typename Call>
bool has_found_nothing(Call &call)
{
    if constexpr (Call::has(qmpi::role::flag))
        return !*qmpi::get<qmpi::role::flag>(call);
    else
        return *qmpi::get<qmpi::role::length, 1>(call) == 0; /* MPI_Testsome */
}

/* Waits until the messages in the buffer of buffered sends are sent. */
template <typename Call>
constexpr bool empties_buffer()
{
    return Call::name == "MPI_Buffer_detach" || Call::name == "MPI_Buffer_detach_c" ||
        Call::name == "MPI_Buffer_flush";
}

/* Makes an intercommunicator with processes of another world. */
template <typename Call>
constexpr bool joins_worlds()
{
    return Call::is_in(qmpi::set::processes) && Call::id != MPI_COMM_GET_PARENT_T &&
        Communicators::makes<Call>(qmpi::role::communicator) != qmpi::none;
}

template <typename Call>
constexpr bool is_message()
{
    return Call::is_in(qmpi::set::point_to_point | qmpi::set::partitioned) &&
        Call::has(qmpi::role::communicator) &&
        (Call::has(qmpi::role::destination) || Call::has(qmpi::role::source));
}

/* Receives the message of a matched probe. */
template <typename Call>
constexpr bool is_matched_receive()
{
    return Call::is_in(qmpi::set::point_to_point) && Call::has(qmpi::role::message) &&
        Call::operation == qmpi::operation::receive;
}

template <typename Call>
constexpr bool is_one_sided()
{
    return Call::is_in(qmpi::set::rma) && Call::has(qmpi::role::window);
}

/* The call can wait for other processes. */
template <typename Call>
constexpr bool may_wait()
{
    namespace set = qmpi::set;
    return makes_of_group(Call::id) || Call::is_collective || Call::id == MPI_FINALIZE_T ||
        Call::is_in(set::point_to_point | set::partitioned | set::collective | set::completion |
                    set::rma | set::io | set::processes);
}

/* Uses an object of the library, so it must not be called before MPI_Init or after MPI_Finalize unless
 * there is a session. MPI allows many of the other functions then (MPI 4.0, 11.4.1). */
template <typename Call>
constexpr bool needs_library()
{
    using qmpi::role;
    namespace set = qmpi::set;
    if (Call::is_in(set::errors | set::infos | set::environment) || Call::has(role::session))
        return false;
    for (const role own : {role::communicator, role::group, role::datatype, role::operation,
                           role::window, role::file, role::request, role::message}) {
        if (Call::has(own))
            return true;
    }
    return false;
}

template <typename Call>
constexpr bool has_request()
{
    constexpr std::size_t index = Call::index(qmpi::role::request);
    if constexpr (index == qmpi::none)
        return false;
    else
        return Call::parameters[index].direction == qmpi::direction::out;
}

/* The last collective operation of a communicator, or of what stands for it: see
 * LocalProcess::communicator_to_make(). */
constexpr bool ends_communicator(int function)
{
    return function == MPI_COMM_FREE_T || function == MPI_COMM_DISCONNECT_T ||
        makes_of_group(function);
}

/* Earlier accesses to the window no longer conflict. */
constexpr bool ends_accesses(qmpi::operation operation)
{
    switch (operation) {
    case qmpi::operation::fence:
    case qmpi::operation::lock:
    case qmpi::operation::unlock:
    case qmpi::operation::lock_all:
    case qmpi::operation::unlock_all:
    case qmpi::operation::start_access:
    case qmpi::operation::end_access:
    case qmpi::operation::flush:
    case qmpi::operation::sync:
        return true;
    default:
        return false;
    }
}

/* Handle of a role, passed by value or by address; none if the address is null. */
template <qmpi::role role, typename Call>
auto handle_of(Call &call)
{
    const auto argument = qmpi::get<role>(call);
    if constexpr (Call::parameters[Call::index(role)].direction == qmpi::direction::in)
        return argument;
    else
        return argument == nullptr ? std::decay_t<decltype(*argument)>() : *argument;
}

/* Origin of a handle: a constant of the library, or an object that the program got. It is in the
 * first two bits of MPICH's handles; constants of the MPI ABI are below 4096. MPICH's datatypes for
 * pairs, such as MPI_FLOAT_INT, look like the program's. */
enum class Origin { none, library, program };

template <typename Handle>
Origin origin_of(Handle handle)
{
    const std::uintptr_t value = qmpi::handle_value(handle);
    constexpr bool is_number = !std::is_pointer_v<Handle>;
    if (is_number ? value >> 30 == 0 : value == 0)
        return Origin::none;
    return (is_number ? value >> 30 == 1 : value < 4096) ? Origin::library : Origin::program;
}

/* Functions that make an object, which must be freed. */
inline constexpr qmpi::function_set makers = functions_that(
    [](auto *call) {
        return std::remove_pointer_t<decltype(call)>::index(qmpi::effect::creates) != qmpi::none;
    },
    qmpi::detail::function_ids());

/* The null handle of a role's type. */
template <qmpi::role role>
auto null_handle()
{
    if constexpr (role == qmpi::role::communicator)
        return MPI_COMM_NULL;
    else if constexpr (role == qmpi::role::group)
        return MPI_GROUP_NULL;
    else if constexpr (role == qmpi::role::datatype)
        return MPI_DATATYPE_NULL;
    else if constexpr (role == qmpi::role::operation)
        return MPI_OP_NULL;
    else if constexpr (role == qmpi::role::window)
        return MPI_WIN_NULL;
    else if constexpr (role == qmpi::role::info)
        return MPI_INFO_NULL;
    else if constexpr (role == qmpi::role::errhandler)
        return MPI_ERRHANDLER_NULL;
    else if constexpr (role == qmpi::role::session)
        return MPI_SESSION_NULL;
    else if constexpr (role == qmpi::role::message)
        return MPI_MESSAGE_NULL;
    else if constexpr (role == qmpi::role::request)
        return MPI_REQUEST_NULL;
    else
        return MPI_FILE_NULL;
}

/* MPICH's handles that are numbers have their type in four bits. */
template <qmpi::role role, typename Value>
bool has_type(Value handle)
{
    if constexpr (std::is_pointer_v<Value>)
        return qmpi::handle_value(handle) != 0;
    else {
        constexpr unsigned type_bits = 0xfu << 26;
        const auto bits = static_cast<unsigned>(handle),
                   nothing = static_cast<unsigned>(null_handle<role>());
        return ((bits ^ nothing) & type_bits) == 0 && bits >> 30 != 0;
    }
}

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_FUNCTIONS_HPP_INCLUDED */
