/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Memory that a collective operation uses in the calling process. */

#ifndef TOOLS_CHECK_COLLECTIVE_MEMORY_HPP_INCLUDED
#define TOOLS_CHECK_COLLECTIVE_MEMORY_HPP_INCLUDED

#include "participants.hpp"
#include "signature.hpp"

#include "../common/communicators.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace qmpi::check {

/* Calls add(address, count, datatype, is_written) for all parts. The buffers of a function are that of
 * the data sent and that of the data received, or one for both. */
template <typename Call, typename Add>
class CollectiveMemory {
  public:
    CollectiveMemory(Call &call, const Communicator &communicator, const Participants &participants,
                     Types &types, Add &add)
        : communicator_(communicator), participants_(participants), types_(types), add_(add)
    {
        call.each_buffer([&](const auto &buffer) {
            const bool is_received = number_++ > 0;
            if (buffer.address == MPI_IN_PLACE)
                is_in_place_ = true;
            else if (participants_.template uses<Call>(is_received))
                visit(buffer, is_received);
        });
    }

  private:
    using operation = qmpi::operation;

    static constexpr bool has_neighbours = Call::is_in(qmpi::set::neighbourhood);

    template <typename Buffer>
    void visit(const Buffer &buffer, bool is_received)
    {
        const bool is_written =
            Call::operation == operation::bcast ? !participants_.is_root() : is_received;
        if constexpr (!Buffer::is_vector)
            visit_blocks(buffer, is_received, is_written);
        else if constexpr (std::is_null_pointer_v<decltype(buffer.displacements)>)
            visit_reduced(buffer, is_received);
        else {
            for (std::size_t i = 0; i < number_of_blocks(is_received); i++) {
                if (has_peer(i, is_received))
                    visit_block(buffer, i, is_written);
            }
        }
    }

    /* One after the other. */
    template <typename Buffer>
    void visit_blocks(const Buffer &buffer, bool is_received, bool is_written)
    {
        const auto count = static_cast<MPI_Count>(buffer.count);
        if constexpr (!has_neighbours)
            add_(buffer.address,
                 count *
                     static_cast<MPI_Count>(
                         has_block_for_each(is_received) ? number_of_blocks(is_received) : 1),
                 buffer.datatype, is_written);
        else if (!has_block_for_each(is_received)) {
            if (has_any_peer(is_received))
                add_(buffer.address, count, buffer.datatype, is_written);
        } else {
            for (std::size_t i = 0; i < number_of_blocks(is_received); i++) {
                if (has_peer(i, is_received))
                    add_(at(buffer.address,
                            static_cast<MPI_Count>(i) * count * extent(buffer.datatype)),
                         count, buffer.datatype, is_written);
            }
        }
    }

    template <typename Buffer>
    void visit_block(const Buffer &buffer, std::size_t i, bool is_written)
    {
        const auto displacement = static_cast<MPI_Count>(buffer.displacements[i]);
        const auto count = static_cast<MPI_Count>(buffer.count[i]);
        if constexpr (Buffer::is_typed)
            add_(at(buffer.address, displacement), count, buffer.datatype[i], is_written);
        else
            add_(at(buffer.address, displacement * extent(buffer.datatype)), count, buffer.datatype,
                 is_written);
    }

    /* MPI_Reduce_scatter: contributions for all, and the own part of the result. */
    template <typename Buffer>
    void visit_reduced(const Buffer &buffer, bool is_received)
    {
        MPI_Count count = 0;
        for (int i = 0; i < communicator_.size; i++) {
            if (!is_received || is_in_place_ || i == communicator_.rank)
                count += static_cast<MPI_Count>(buffer.count[i]);
        }
        add_(buffer.address, count, buffer.datatype, is_received);
    }

    bool has_block_for_each(bool is_received) const
    {
        switch (Call::operation) {
        case operation::alltoall:
            return true;
        case operation::gather:
        case operation::allgather:
            return is_received;
        case operation::scatter:
            return !is_received;
        case operation::reduce_scatter:
            return !is_received || is_in_place_;
        default:
            return false;
        }
    }

    const std::vector<int> &neighbours(bool is_received) const
    {
        return is_received ? communicator_.sources : communicator_.destinations;
    }

    std::size_t number_of_blocks(bool is_received) const
    {
        if constexpr (has_neighbours)
            return neighbours(is_received).size();
        else if constexpr (Call::operation == operation::reduce_scatter)
            return static_cast<std::size_t>(communicator_.size);
        else
            return static_cast<std::size_t>(participants_.peers);
    }

    bool has_any_peer(bool is_received) const
    {
        const std::vector<int> &ranks = neighbours(is_received);
        return std::any_of(ranks.begin(), ranks.end(),
                           [](int rank) { return rank != MPI_PROC_NULL; });
    }

    bool has_peer(std::size_t i, bool is_received) const
    {
        if constexpr (has_neighbours)
            return neighbours(is_received)[i] != MPI_PROC_NULL;
        else
            return true;
    }

    MPI_Count extent(MPI_Datatype datatype)
    {
        const Types::Shared type = types_.of(datatype);
        return type != nullptr ? type->extent : 0;
    }

    static const void *at(const void *address, MPI_Count displacement)
    {
        return static_cast<const char *>(address) + displacement;
    }

    const Communicator &communicator_;
    const Participants &participants_;
    Types &types_;
    Add &add_;
    int number_ = 0;
    bool is_in_place_ = false;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_COLLECTIVE_MEMORY_HPP_INCLUDED */
