/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "patterns.hpp"

namespace tools {

std::size_t number_of(Whom whom, const Communicator &communicator)
{
    const auto rank = static_cast<std::size_t>(communicator.rank);
    switch (whom) {
    case Whom::one:
        return 1;
    case Whom::others:
        return communicator.world.size() - 1;
    case Whom::below:
        return rank;
    case Whom::above:
        return communicator.world.size() - rank - 1;
    case Whom::remote:
        return communicator.remote.size();
    }
    return 0;
}

std::vector<int> world_ranks_of(Whom whom, const Communicator &communicator)
{
    if (whom == Whom::remote)
        return communicator.remote;

    const auto begin = communicator.world.begin(), end = communicator.world.end();
    const auto own = begin + communicator.rank;
    std::vector<int> ranks;
    if (whom != Whom::above)
        ranks.insert(ranks.end(), begin, own);
    if (whom != Whom::below)
        ranks.insert(ranks.end(), own + 1, end);
    return ranks;
}

void add_received(Parts &parts, const MPI_Status &status, const Communicator &communicator)
{
    /* The status counts bytes. MPI_BYTE, since the call's datatype may be freed by now. */
    MPI_Count bytes = 0;
    if (status.MPI_SOURCE < 0 || QMPI_Get_elements_x(&status, MPI_BYTE, &bytes) != MPI_SUCCESS ||
        bytes < 0)
        return;
    parts.add({Side::received, Whom::one, communicator.world_rank_of(status.MPI_SOURCE),
               static_cast<std::uint64_t>(bytes)});
}

namespace patterns {

std::uint64_t Amount::at(int index) const
{
    const MPI_Count count = counts_ != nullptr ? counts_[index]
        : large_counts_ != nullptr             ? large_counts_[index]
                                               : count_;
    return bytes::bytes_of(count, datatypes_ != nullptr ? datatypes_[index] : datatype_, 1);
}

namespace {

/* Adds the parts of one operation. In a collective operation an empty message is none: no process
 * waits for it. */
class Decomposition {
  public:
    Decomposition(const Description &description, const Communicator &communicator)
        : call_(description), communicator_(communicator)
    {
    }

    Parts run()
    {
        switch (call_.operation) {
        case Operation::none:
            break;
        case Operation::message:
            message();
            break;
        case Operation::bcast:
            from_root_to_each(call_.send.amount);
            break;
        case Operation::gather:
            from_each_to_root(call_.receive.amount);
            break;
        case Operation::scatter:
            scatter();
            break;
        case Operation::allgather:
            allgather();
            break;
        case Operation::alltoall:
            alltoall();
            break;
        case Operation::reduce:
            from_each_to_root(call_.send.amount);
            break;
        case Operation::allreduce:
            each(Side::sent, call_.send.amount);
            each(Side::received, call_.send.amount);
            if (keeps_own(call_.send))
                own(call_.send.amount.at(0), call_.send.amount.at(0));
            break;
        case Operation::reduce_scatter:
            reduce_scatter();
            break;
        case Operation::scan:
        case Operation::exscan:
            scan();
            break;
        case Operation::neighbor_allgather:
        case Operation::neighbor_alltoall:
            neighbours(Side::sent, communicator_.destinations, call_.send.amount);
            neighbours(Side::received, communicator_.sources, call_.receive.amount);
            break;
        case Operation::one_sided:
            one_sided();
            break;
        }
        return std::move(parts_);
    }

  private:
    bool takes_part() const { return !communicator_.is_inter || call_.root != MPI_PROC_NULL; }
    bool is_root() const
    {
        return communicator_.is_inter ? call_.root == MPI_ROOT : call_.root == communicator_.rank;
    }

    void one(Side side, int rank, std::uint64_t bytes)
    {
        if (bytes > 0)
            parts_.add({side, Whom::one, communicator_.world_rank_of(rank), bytes});
    }

    void group(Side side, Whom whom, std::uint64_t bytes)
    {
        if (bytes > 0 && number_of(whom, communicator_) > 0)
            parts_.add({side, whom, outside_world, bytes});
    }

    /* All of the remote group, or all but the calling process. */
    void each(Side side, const Amount &amount)
    {
        if (amount.is_uniform()) {
            group(side, communicator_.is_inter ? Whom::remote : Whom::others, amount.at(0));
            return;
        }
        const int number = static_cast<int>(communicator_.peers().size());
        for (int i = 0; i < number; i++) {
            if (communicator_.is_inter || i != communicator_.rank)
                one(side, i, amount.at(i));
        }
    }

    /* Counts even if empty, since the receiver waits for it. */
    void message()
    {
        if (call_.sends && call_.peer != MPI_PROC_NULL)
            parts_.add({Side::sent, Whom::one, communicator_.world_rank_of(call_.peer),
                        call_.send.amount.at(0)});
        if (call_.source >= 0)
            parts_.add({Side::received, Whom::one, communicator_.world_rank_of(call_.source),
                        call_.receive.amount.at(0)});
    }

    /* True if the send buffer is copied to the own receive buffer. */
    bool keeps_own(const Data &in_place) const
    {
        return !communicator_.is_inter && !in_place.is_in_place;
    }

    void own(std::uint64_t sent, std::uint64_t received)
    {
        one(Side::sent, communicator_.rank, sent);
        one(Side::received, communicator_.rank, received);
    }

    void from_root_to_each(const Amount &amount)
    {
        if (!takes_part())
            return;
        if (is_root())
            each(Side::sent, amount);
        else
            one(Side::received, call_.root, amount.at(0));
    }

    void from_each_to_root(const Amount &received)
    {
        if (!takes_part())
            return;
        if (!is_root()) {
            one(Side::sent, call_.root, call_.send.amount.at(0));
            return;
        }
        each(Side::received, received);
        if (keeps_own(call_.send))
            own(call_.send.amount.at(0), received.at(communicator_.rank));
    }

    void scatter()
    {
        if (!takes_part())
            return;
        if (!is_root()) {
            one(Side::received, call_.root, call_.receive.amount.at(0));
            return;
        }
        each(Side::sent, call_.send.amount);
        if (keeps_own(call_.receive))
            own(call_.send.amount.at(communicator_.rank), call_.receive.amount.at(0));
    }

    void allgather()
    {
        const std::uint64_t sent = call_.send.is_in_place
            ? call_.receive.amount.at(communicator_.rank)
            : call_.send.amount.at(0);
        group(Side::sent, communicator_.is_inter ? Whom::remote : Whom::others, sent);
        each(Side::received, call_.receive.amount);
        if (keeps_own(call_.send))
            own(sent, call_.receive.amount.at(communicator_.rank));
    }

    void alltoall()
    {
        const Amount &sent = call_.send.is_in_place ? call_.receive.amount : call_.send.amount;
        each(Side::sent, sent);
        each(Side::received, call_.receive.amount);
        if (keeps_own(call_.send))
            own(sent.at(communicator_.rank), call_.receive.amount.at(communicator_.rank));
    }

    /* Counts are those of the local group. Between groups only the total of the remote group is
     * known; it is divided evenly, which is exact for equal counts. */
    void reduce_scatter()
    {
        const Amount &amount = call_.receive.amount;
        if (!communicator_.is_inter) {
            each(Side::sent, amount);
            group(Side::received, Whom::others, amount.at(communicator_.rank));
            if (keeps_own(call_.send))
                own(amount.at(communicator_.rank), amount.at(communicator_.rank));
            return;
        }
        std::uint64_t all = 0;
        for (int i = 0; i < communicator_.size; i++)
            all += amount.at(i);
        const auto number = static_cast<std::uint64_t>(communicator_.remote.size());
        for (std::uint64_t i = 0; i < number; i++)
            one(Side::sent, static_cast<int>(i), all / number + (i < all % number));
        group(Side::received, Whom::remote, amount.at(communicator_.rank));
    }

    void scan()
    {
        const std::uint64_t bytes = call_.send.amount.at(0);
        group(Side::sent, Whom::above, bytes);
        group(Side::received, Whom::below, bytes);
        if (call_.operation == Operation::scan && keeps_own(call_.send))
            own(bytes, bytes);
    }

    void neighbours(Side side, const std::vector<int> &ranks, const Amount &amount)
    {
        for (std::size_t i = 0; i < ranks.size(); i++) {
            if (ranks[i] != MPI_PROC_NULL)
                one(side, ranks[i], amount.at(static_cast<int>(i)));
        }
    }

    /* The target makes no call; only the origin sees the transfer. */
    void one_sided()
    {
        if (call_.peer == MPI_PROC_NULL)
            return;
        if (call_.sends)
            one(Side::sent, call_.peer, call_.send.amount.at(0) + call_.further);
        one(Side::received, call_.peer, call_.receive.amount.at(0));
    }

    const Description &call_;
    const Communicator &communicator_;
    Parts parts_;
};

}  // namespace

Parts decompose(const Description &description, const Communicator &communicator)
{
    return Decomposition(description, communicator).run();
}

}  // namespace patterns
}  // namespace tools
