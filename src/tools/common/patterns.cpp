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
        : d(description), c(communicator)
    {
    }

    Parts run()
    {
        switch (d.operation) {
        case Operation::none:
            break;
        case Operation::message:
            message();
            break;
        case Operation::bcast:
            from_root_to_each(d.send.amount);
            break;
        case Operation::gather:
            from_each_to_root(d.receive.amount);
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
            from_each_to_root(d.send.amount);
            break;
        case Operation::allreduce:
            each(Side::sent, d.send.amount);
            each(Side::received, d.send.amount);
            if (keeps_own(d.send))
                own(d.send.amount.at(0), d.send.amount.at(0));
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
            neighbours(Side::sent, c.destinations, d.send.amount);
            neighbours(Side::received, c.sources, d.receive.amount);
            break;
        case Operation::one_sided:
            one_sided();
            break;
        }
        return std::move(parts);
    }

  private:
    bool takes_part() const { return !c.is_inter || d.root != MPI_PROC_NULL; }
    bool is_root() const { return c.is_inter ? d.root == MPI_ROOT : d.root == c.rank; }

    void one(Side side, int rank, std::uint64_t bytes)
    {
        if (bytes > 0)
            parts.add({side, Whom::one, c.world_rank_of(rank), bytes});
    }

    void group(Side side, Whom whom, std::uint64_t bytes)
    {
        if (bytes > 0 && number_of(whom, c) > 0)
            parts.add({side, whom, outside_world, bytes});
    }

    /* All of the remote group, or all but the calling process. */
    void each(Side side, const Amount &amount)
    {
        if (amount.is_uniform()) {
            group(side, c.is_inter ? Whom::remote : Whom::others, amount.at(0));
            return;
        }
        const int number = static_cast<int>(c.peers().size());
        for (int i = 0; i < number; i++) {
            if (c.is_inter || i != c.rank)
                one(side, i, amount.at(i));
        }
    }

    /* Counts even if empty, since the receiver waits for it. */
    void message()
    {
        if (d.sends && d.peer != MPI_PROC_NULL)
            parts.add({Side::sent, Whom::one, c.world_rank_of(d.peer), d.send.amount.at(0)});
        if (d.source >= 0)
            parts.add(
                {Side::received, Whom::one, c.world_rank_of(d.source), d.receive.amount.at(0)});
    }

    /* True if the send buffer is copied to the own receive buffer. */
    bool keeps_own(const Data &in_place) const { return !c.is_inter && !in_place.is_in_place; }

    void own(std::uint64_t sent, std::uint64_t received)
    {
        one(Side::sent, c.rank, sent);
        one(Side::received, c.rank, received);
    }

    void from_root_to_each(const Amount &amount)
    {
        if (!takes_part())
            return;
        if (is_root())
            each(Side::sent, amount);
        else
            one(Side::received, d.root, amount.at(0));
    }

    void from_each_to_root(const Amount &received)
    {
        if (!takes_part())
            return;
        if (!is_root()) {
            one(Side::sent, d.root, d.send.amount.at(0));
            return;
        }
        each(Side::received, received);
        if (keeps_own(d.send))
            own(d.send.amount.at(0), received.at(c.rank));
    }

    void scatter()
    {
        if (!takes_part())
            return;
        if (!is_root()) {
            one(Side::received, d.root, d.receive.amount.at(0));
            return;
        }
        each(Side::sent, d.send.amount);
        if (keeps_own(d.receive))
            own(d.send.amount.at(c.rank), d.receive.amount.at(0));
    }

    void allgather()
    {
        const std::uint64_t sent =
            d.send.is_in_place ? d.receive.amount.at(c.rank) : d.send.amount.at(0);
        group(Side::sent, c.is_inter ? Whom::remote : Whom::others, sent);
        each(Side::received, d.receive.amount);
        if (keeps_own(d.send))
            own(sent, d.receive.amount.at(c.rank));
    }

    void alltoall()
    {
        const Amount &sent = d.send.is_in_place ? d.receive.amount : d.send.amount;
        each(Side::sent, sent);
        each(Side::received, d.receive.amount);
        if (keeps_own(d.send))
            own(sent.at(c.rank), d.receive.amount.at(c.rank));
    }

    /* Counts are those of the local group. Between groups only the total of the remote group is
     * known; it is divided evenly, which is exact for equal counts. */
    void reduce_scatter()
    {
        const Amount &amount = d.receive.amount;
        if (!c.is_inter) {
            each(Side::sent, amount);
            group(Side::received, Whom::others, amount.at(c.rank));
            if (keeps_own(d.send))
                own(amount.at(c.rank), amount.at(c.rank));
            return;
        }
        std::uint64_t all = 0;
        for (int i = 0; i < c.size; i++)
            all += amount.at(i);
        const auto number = static_cast<std::uint64_t>(c.remote.size());
        for (std::uint64_t i = 0; i < number; i++)
            one(Side::sent, static_cast<int>(i), all / number + (i < all % number));
        group(Side::received, Whom::remote, amount.at(c.rank));
    }

    void scan()
    {
        const std::uint64_t bytes = d.send.amount.at(0);
        group(Side::sent, Whom::above, bytes);
        group(Side::received, Whom::below, bytes);
        if (d.operation == Operation::scan && keeps_own(d.send))
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
        if (d.peer == MPI_PROC_NULL)
            return;
        if (d.sends)
            one(Side::sent, d.peer, d.send.amount.at(0) + d.further);
        one(Side::received, d.peer, d.receive.amount.at(0));
    }

    const Description &d;
    const Communicator &c;
    Parts parts;
};

}  // namespace

Parts decompose(const Description &description, const Communicator &communicator)
{
    return Decomposition(description, communicator).run();
}

}  // namespace patterns
}  // namespace tools
