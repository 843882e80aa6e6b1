/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Arguments that must be the same in all processes of a communicator or file. A call has one number for
 * them, in which each has 16 bits, in the order of the table: a hash, or 0 if it is not compared. */

#ifndef TOOLS_CHECK_AGREEMENT_HPP_INCLUDED
#define TOOLS_CHECK_AGREEMENT_HPP_INCLUDED

#include <qmpi.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace qmpi::check {

struct Agreement {
    int function;
    std::array<std::string_view, 4> names; /* of the parameters */
};

/* MPI 4.0: 7.6.1 and 7.6.2 (leader and high), 7.4.2 (type of a split), 8.4 (topologies), 14.2.1, 14.2.4 and
 * 14.2.5 (mode and sizes), 14.3 (representation), 14.4.4 (shared pointer), 14.6.1 (atomicity), 12.5.5
 * (fences) */
inline constexpr Agreement agreements[] = {
    {MPI_CART_CREATE_T, {"ndims", "dims", "periods", "reorder"}},
    {MPI_GRAPH_CREATE_T, {"nnodes", "indx", "edges", "reorder"}},
    {MPI_DIST_GRAPH_CREATE_T, {"reorder"}},
    {MPI_DIST_GRAPH_CREATE_ADJACENT_T, {"reorder"}},
    {MPI_INTERCOMM_CREATE_T, {"local_leader"}},
    {MPI_INTERCOMM_MERGE_T, {"high"}},
    {MPI_COMM_SPLIT_TYPE_T, {"split_type"}},
    {MPI_FILE_OPEN_T, {"amode"}},
    {MPI_FILE_SET_SIZE_T, {"size"}},
    {MPI_FILE_PREALLOCATE_T, {"size"}},
    {MPI_FILE_SET_VIEW_T, {"datarep"}},
    {MPI_FILE_SEEK_SHARED_T, {"offset", "whence"}},
    {MPI_FILE_SET_ATOMICITY_T, {"flag"}},
    {MPI_WIN_FENCE_T, {"assert"}},
};

constexpr std::array<std::string_view, 4> agreed_names(int function)
{
    for (const Agreement &agreement : agreements) {
        if (agreement.function == function)
            return agreement.names;
    }
    return {};
}

inline std::uint64_t add_to_hash(std::uint64_t hash, std::uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Place and value of the hash of an argument. */
inline std::uint64_t agreed_part(std::size_t place, std::uint64_t hash)
{
    return (hash % 0xffff + 1) << 16 * place;
}

namespace detail {

template <std::size_t i, typename Call>
std::uint64_t part_of(Call &call, std::size_t place)
{
    constexpr qmpi::parameter parameter = Call::parameters[i];
    const auto &value = call.template argument<i>();
    constexpr bool is_logical = parameter.role == qmpi::role::flag || parameter.name == "reorder" ||
        parameter.name == "periods" || parameter.name == "high";
    const auto number = [](auto one) {
        return is_logical ? std::uint64_t{one != 0} : static_cast<std::uint64_t>(one);
    };
    std::uint64_t hash = 1;
    if constexpr (parameter.role == qmpi::role::text) {
        for (const char *next = value; next != nullptr && *next != '\0'; next++)
            hash = add_to_hash(hash, static_cast<unsigned char>(*next));
        return value == nullptr ? 0 : agreed_part(place, hash);
    } else if constexpr (std::is_pointer_v<std::decay_t<decltype(value)>>) {
        MPI_Count length = 0;
        if constexpr (parameter.length != qmpi::none)
            length = static_cast<MPI_Count>(call.template argument<parameter.length>());
        else if constexpr (parameter.name == "edges") { /* the last index is their number */
            const int nodes = call.template argument<1>();
            const int *ends = call.template argument<2>();
            length = nodes > 0 && ends != nullptr ? ends[nodes - 1] : 0;
        }
        if (value == nullptr)
            return 0;
        for (MPI_Count k = 0; k < length; k++)
            hash = add_to_hash(hash, number(value[k]));
        return agreed_part(place, hash);
    } else if constexpr (parameter.name == "split_type") /* some processes may take no part */
        return value == MPI_UNDEFINED ? 0 : agreed_part(place, add_to_hash(hash, number(value)));
    else if constexpr (parameter.role == qmpi::role::assertion)
        return agreed_part(place,
                           add_to_hash(hash,
                                       static_cast<std::uint64_t>(
                                           value & (MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED))));
    else
        return agreed_part(place, add_to_hash(hash, number(value)));
}

template <typename Call, std::size_t... places>
std::uint64_t agreed_by(Call &call, std::index_sequence<places...>)
{
    constexpr auto names = agreed_names(Call::id);
    std::uint64_t all = 0;
    (void) call;
    (
        [&] {
            constexpr std::size_t own =
                names[places].empty() ? qmpi::none : Call::index(names[places]);
            if constexpr (own != qmpi::none)
                all |= part_of<own>(call, places);
        }(),
        ...);
    return all;
}

}  // namespace detail

/* The arguments of a call; 0 if there are none that must be the same. */
template <typename Call>
std::uint64_t agreed_by(Call &call)
{
    if constexpr (agreed_names(Call::id)[0].empty())
        return ((void) call, 0);
    else
        return detail::agreed_by(call, std::make_index_sequence<4>());
}

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_AGREEMENT_HPP_INCLUDED */
