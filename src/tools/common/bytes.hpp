/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Bytes that the buffer arguments of a call describe, as defined in qmpi-count(7), "What is counted
 * as bytes". */

#ifndef TOOLS_BYTES_HPP_INCLUDED
#define TOOLS_BYTES_HPP_INCLUDED

#include <qmpi.hpp>

namespace tools {

struct Bytes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
};

namespace bytes {

/* ---- number of uses of a buffer argument ---- */

enum class Times {
    never, /* stays in the process: packing, local reduction */
    once,
    by_ranks,         /* once per process; a vector has an entry for each */
    by_own_ranks,     /* the same, but an intercommunicator counts the local group */
    by_neighbours_in, /* once per neighbour to receive from */
    by_neighbours_out,
    own_entry /* the vector's entry for the calling process */
};

/* Ranks that use the argument: in an operation with a root, or in a scan. */
enum class Who { everyone, root, others, others_and_root, all_but_first };

struct Use {
    Times times = Times::once;
    Who who = Who::everyone;
};

struct Pattern {
    Use send;
    Use receive;
};

/* True for all forms of a function: MPI_Ialltoallv_c and MPI_Alltoallv_init are "alltoallv". */
constexpr bool is_kind(std::string_view name, std::string_view kind)
{
    auto remove_end = [&name](std::string_view end) {
        if (name.size() > end.size() && name.substr(name.size() - end.size()) == end)
            name.remove_suffix(end.size());
    };

    name.remove_prefix(std::min(name.find('_') + 1, name.size()));
    remove_end("_c");
    remove_end("_init");
    if (name.size() == kind.size() + 1 && name[0] == 'I')
        name.remove_prefix(1);
    else if (name.size() == kind.size() && name[0] == kind[0] - 'a' + 'A') {
        name.remove_prefix(1);
        kind.remove_prefix(1);
    }
    return name == kind;
}

constexpr Pattern pattern_of(std::string_view name)
{
    const Use once{};
    const Use ranks{Times::by_ranks}, own_ranks{Times::by_own_ranks};
    const Use in{Times::by_neighbours_in}, out{Times::by_neighbours_out};
    const Use never{Times::never};
    auto is = [name](std::string_view kind) { return is_kind(name, kind); };

    if (is("bcast"))
        return {{Times::once, Who::root}, {Times::once, Who::others}};
    if (is("gather") || is("gatherv"))
        return {{Times::once, Who::others_and_root}, {Times::by_ranks, Who::root}};
    if (is("scatter") || is("scatterv"))
        return {{Times::by_ranks, Who::root}, {Times::once, Who::others_and_root}};
    if (is("reduce"))
        return {{Times::once, Who::others_and_root}, {Times::once, Who::root}};
    if (is("allgather") || is("allgatherv"))
        return {once, ranks};
    if (is("alltoall") || is("alltoallv") || is("alltoallw"))
        return {ranks, ranks};
    if (is("reduce_scatter_block"))
        return {own_ranks, once};
    if (is("reduce_scatter"))
        return {own_ranks, {Times::own_entry}};
    if (is("neighbor_allgather") || is("neighbor_allgatherv"))
        return {once, in};
    if (is("neighbor_alltoall") || is("neighbor_alltoallv") || is("neighbor_alltoallw"))
        return {out, in};
    if (is("exscan"))
        return {once, {Times::once, Who::all_but_first}};
    if (is("reduce_local"))
        return {never, never};
    return {once, once};
}

/* ---- the bytes of one call ---- */

/* Arguments that determine the peers of a call. */
struct Peers {
    MPI_Comm comm;
    int root;
    int dest;
    int source;
    int target_rank;
    MPI_Op op;
};

inline std::uint64_t size_of(MPI_Datatype datatype)
{
    MPI_Count size = 0;
    if (QMPI_Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return static_cast<std::uint64_t>(size);
}

inline int number_of_ranks(MPI_Comm comm, Times times)
{
    int between_groups = 0, size = 0;
    QMPI_Comm_test_inter(comm, &between_groups);
    if (between_groups && times == Times::by_ranks)
        QMPI_Comm_remote_size(comm, &size);
    else
        QMPI_Comm_size(comm, &size);
    return size;
}

inline int number_of_neighbours(MPI_Comm comm, bool in)
{
    int topology = MPI_UNDEFINED, rank = 0, number = 0, out = 0, weighted;

    QMPI_Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        QMPI_Cartdim_get(comm, &number);
        return 2 * number;
    }
    if (topology == MPI_GRAPH) {
        QMPI_Comm_rank(comm, &rank);
        QMPI_Graph_neighbors_count(comm, rank, &number);
        return number;
    }
    if (topology == MPI_DIST_GRAPH)
        QMPI_Dist_graph_neighbors_count(comm, &number, &out, &weighted);
    return in ? number : out;
}

inline bool takes_part(Who who, const Peers &peers)
{
    if (who == Who::everyone)
        return true;

    int between_groups = 0, rank = 0;
    QMPI_Comm_test_inter(peers.comm, &between_groups);
    if (between_groups) {
        if (peers.root == MPI_PROC_NULL)
            return false;
        return (peers.root == MPI_ROOT) == (who == Who::root);
    }
    QMPI_Comm_rank(peers.comm, &rank);
    if (who == Who::all_but_first)
        return rank != 0;
    return who == Who::others_and_root || (rank == peers.root) == (who == Who::root);
}

/* Bytes of one buffer argument, scalar or vector. */
template <typename Count>
std::uint64_t bytes_of(Count count, MPI_Datatype datatype, std::uint64_t times)
{
    /* Without elements the datatype may be invalid. */
    if (count <= 0 || times == 0)
        return 0;
    return static_cast<std::uint64_t>(count) * times * size_of(datatype);
}

inline int number_of(const Use &use, const Peers &peers) noexcept
{
    switch (use.times) {
    case Times::by_ranks:
    case Times::by_own_ranks:
        return number_of_ranks(peers.comm, use.times);
    case Times::by_neighbours_in:
        return number_of_neighbours(peers.comm, true);
    case Times::by_neighbours_out:
        return number_of_neighbours(peers.comm, false);
    default:
        return 1;
    }
}

template <typename Buffer>
std::uint64_t bytes_of(const Buffer &buffer, const Use &use, const Peers &peers) noexcept
{
    int first = 0, last = number_of(use, peers);
    std::uint64_t bytes = 0;

    if constexpr (!Buffer::is_vector)
        bytes = bytes_of(buffer.count, buffer.datatype, static_cast<std::uint64_t>(last));
    else {
        if (use.times == Times::own_entry) {
            QMPI_Comm_rank(peers.comm, &first);
            last = first + 1;
        }
        for (int i = first; i < last; i++) {
            if constexpr (Buffer::is_typed)
                bytes += bytes_of(buffer.count[i], buffer.datatype[i], 1);
            else
                bytes += bytes_of(buffer.count[i], buffer.datatype, 1);
        }
    }
    return bytes;
}

inline bool sends(const void *address, const Use &use, const Peers &peers) noexcept
{
    /* MPI_NO_OP ignores the origin buffer and its datatype. */
    return address != MPI_IN_PLACE && peers.op != MPI_NO_OP && peers.dest != MPI_PROC_NULL &&
        peers.target_rank != MPI_PROC_NULL && use.times != Times::never &&
        takes_part(use.who, peers);
}

inline bool receives(const void *address, const Use &use, const Peers &peers) noexcept
{
    return address != MPI_IN_PLACE && peers.source != MPI_PROC_NULL &&
        peers.target_rank != MPI_PROC_NULL && use.times != Times::never &&
        takes_part(use.who, peers);
}

}  // namespace bytes

/* Bytes of a call, to be queried after it succeeded: then the library has checked the arguments,
 * and querying the size of a datatype cannot fail. Thread-safe. */
template <typename Call>
Bytes bytes_of_call(Call &call) noexcept
{
    using qmpi::direction;
    using qmpi::get_or;
    using qmpi::role;
    constexpr bytes::Pattern pattern = bytes::pattern_of(Call::name);
    /* The fallbacks have no effect on the result. */
    const bytes::Peers peers{get_or<role::communicator>(call, MPI_COMM_NULL),
                             get_or<role::root>(call, 0),
                             get_or<role::destination>(call, 0),
                             get_or<role::source>(call, 0),
                             get_or<role::target>(call, 0),
                             get_or<role::operation>(call, MPI_OP_NULL)};
    Bytes sum;

    call.each_buffer([&](const auto &buffer) {
        if (buffer.direction != direction::out && bytes::sends(buffer.address, pattern.send, peers))
            sum.sent += bytes::bytes_of(buffer, pattern.send, peers);
        if (buffer.direction != direction::in &&
            bytes::receives(buffer.address, pattern.receive, peers))
            sum.received += bytes::bytes_of(buffer, pattern.receive, peers);
    });
    return sum;
}

/* False if a call cannot move data. Query before the call: a matched receive from MPI_PROC_NULL is
 * recognised by its message handle only. */
template <typename Call>
bool moves_data(const Call &call)
{
    if constexpr (Call::buffers.empty())
        return false;
    else if constexpr (bytes::is_kind(Call::name, "mrecv")) {
        const MPI_Message *message =
            qmpi::get_or<qmpi::role::message>(call, static_cast<MPI_Message *>(nullptr));
        return message == nullptr || *message != MPI_MESSAGE_NO_PROC;
    } else
        return true;
}

}  // namespace tools

#endif /* TOOLS_BYTES_HPP_INCLUDED */
