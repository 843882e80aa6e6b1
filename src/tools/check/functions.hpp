/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Classes of functions for the rules. */

#ifndef TOOLS_CHECK_FUNCTIONS_HPP_INCLUDED
#define TOOLS_CHECK_FUNCTIONS_HPP_INCLUDED

#include "../common/text.hpp"

#include <qmpi.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace tools::check {

/* Data flow of a collective operation. */
enum class Shape { none, bcast, gather, scatter, exchange, reduce };

constexpr Shape shape_of(std::string_view name)
{
    auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
    if (has("eighbor") || has("Reduce_local") || has("arrier"))
        return Shape::none;
    if (has("llgather") || has("lltoall"))
        return Shape::exchange;
    if (has("educe_scatter") && !has("educe_scatter_block"))
        return Shape::none;
    if (has("educe") || has("_Scan") || has("_Iscan") || has("xscan"))
        return Shape::reduce;
    return has("cast")  ? Shape::bcast
        : has("catter") ? Shape::scatter
        : has("ather")  ? Shape::gather
                        : Shape::none;
}

/* Functions that all processes of a communicator call, besides those that move data. */
inline constexpr qmpi::function_set makers(
    MPI_COMM_DUP_T, MPI_COMM_DUP_WITH_INFO_T, MPI_COMM_IDUP_T, MPI_COMM_IDUP_WITH_INFO_T,
    MPI_COMM_CREATE_T, MPI_COMM_SPLIT_T, MPI_COMM_SPLIT_TYPE_T, MPI_CART_CREATE_T, MPI_CART_SUB_T,
    MPI_GRAPH_CREATE_T, MPI_DIST_GRAPH_CREATE_T, MPI_DIST_GRAPH_CREATE_ADJACENT_T,
    MPI_INTERCOMM_CREATE_T, MPI_INTERCOMM_MERGE_T, MPI_WIN_CREATE_T, MPI_WIN_CREATE_C_T,
    MPI_WIN_ALLOCATE_T, MPI_WIN_ALLOCATE_C_T, MPI_WIN_ALLOCATE_SHARED_T,
    MPI_WIN_ALLOCATE_SHARED_C_T, MPI_WIN_CREATE_DYNAMIC_T, MPI_FILE_OPEN_T, MPI_COMM_SPAWN_T,
    MPI_COMM_SPAWN_MULTIPLE_T, MPI_COMM_ACCEPT_T, MPI_COMM_CONNECT_T, MPI_COMM_FREE_T,
    MPI_COMM_DISCONNECT_T);

/* Functions after which earlier accesses to a window no longer conflict. */
inline constexpr qmpi::function_set synchronizing(MPI_WIN_FENCE_T, MPI_WIN_COMPLETE_T,
                                                  MPI_WIN_UNLOCK_T, MPI_WIN_UNLOCK_ALL_T,
                                                  MPI_WIN_FLUSH_T, MPI_WIN_FLUSH_ALL_T,
                                                  MPI_WIN_FLUSH_LOCAL_T, MPI_WIN_FLUSH_LOCAL_ALL_T,
                                                  MPI_WIN_LOCK_T, MPI_WIN_LOCK_ALL_T,
                                                  MPI_WIN_START_T, MPI_WIN_SYNC_T);

template <typename Call>
constexpr bool is_collective()
{
    return (Call::is_in(qmpi::set::collective) && Call::has(qmpi::role::communicator)) ||
        Call::is_in(makers);
}

template <typename Call>
constexpr bool is_message()
{
    return Call::is_in(qmpi::set::point_to_point) && Call::has(qmpi::role::communicator) &&
        (Call::has(qmpi::role::destination) || Call::has(qmpi::role::source));
}

template <typename Call>
constexpr bool is_one_sided()
{
    return Call::is_in(qmpi::set::rma) && Call::has(qmpi::role::window);
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

template <typename Call>
constexpr bool frees_handle()
{
    constexpr std::string_view name = Call::name;
    return ends_in(name, "_free") || ends_in(name, "_disconnect") || ends_in(name, "File_close") ||
        ends_in(name, "Session_finalize");
}

/* Handle of a role, passed by value or by address; 0 (none) if the address is null. */
template <qmpi::role role, typename Call>
auto handle_of(Call &call)
{
    const auto argument = qmpi::get<role>(call);
    if constexpr (std::is_pointer_v<std::decay_t<decltype(argument)>>)
        return argument == nullptr ? 0 : *argument;
    else
        return argument;
}

}  // namespace tools::check

#endif /* TOOLS_CHECK_FUNCTIONS_HPP_INCLUDED */
