/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Processes that exchange data in a collective operation. */

#ifndef TOOLS_CHECK_PARTICIPANTS_HPP_INCLUDED
#define TOOLS_CHECK_PARTICIPANTS_HPP_INCLUDED

#include "../common/communicators.hpp"

#include <qmpi.hpp>

namespace qmpi::check {

/* World ranks of all participants, in the order of their numbers. */
inline std::vector<int> world_ranks(const Communicator &communicator)
{
    std::vector<int> ranks = communicator.first_group();
    const std::vector<int> &others = communicator.second_group();
    ranks.insert(ranks.end(), others.begin(), others.end());
    return ranks;
}

/* Both groups of an intercommunicator are numbered in one row, the group with the smaller first process
 * in front: the same numbers in all processes. */
class Participants {
  public:
    /* root: argument of the call, or MPI_UNDEFINED */
    Participants(const Communicator &communicator, int root)
        : rank(communicator.rank), peers(communicator.size), root(root),
          is_inter_(communicator.is_inter)
    {
        if (!is_inter_)
            return;
        const bool is_first = communicator.is_first_group();
        peers = static_cast<int>(communicator.remote.size());
        second = static_cast<int>(communicator.first_group().size());
        first_peer = is_first ? second : 0;
        rank += is_first ? 0 : second;
        if (root == MPI_ROOT)
            this->root = rank;
        else if (root >= 0)
            this->root = first_peer + root;
    }

    int rank;           /* of the calling process */
    int first_peer = 0; /* of those that the process exchanges data with */
    int peers;          /* their number */
    int second = 0;     /* first process of the second group; 0: one group */
    int root;           /* or MPI_UNDEFINED, or MPI_PROC_NULL: another one of the own group */

    bool is_root() const { return root == rank; }

    /* The call reads or writes the buffer, which is the first or a later one of its arguments. */
    template <typename Call>
    bool uses(bool is_later) const
    {
        if (root == MPI_PROC_NULL)
            return false;
        switch (Call::operation) {
        case operation::gather:
        case operation::reduce:
            return is_later ? is_root() : !is_inter_ || !is_root();
        case operation::scatter:
            return is_later ? !is_inter_ || !is_root() : is_root();
        case operation::exscan:
            return !is_later || rank > 0;
        default:
            return true;
        }
    }

  private:
    using operation = qmpi::operation;

    bool is_inter_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_PARTICIPANTS_HPP_INCLUDED */
