/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "patterns.hpp"

#include <cstddef>
#include <utility>

namespace qmpi {
inline namespace v1 {

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

void add_received(Parts &parts, const movement::Received &received,
                  const Communicator &communicator)
{
    if (received.source >= 0)
        parts.add({Side::received, Whom::one, communicator.world_rank_of(received.source),
                   received.bytes});
}

namespace {

/* Makes the messages of a movement. */
class PartMaker {
  public:
    static constexpr bool is_sum = false;

    PartMaker(Parts &parts, const Communicator &communicator)
        : parts_(parts), communicator_(communicator)
    {
    }

    void one(Side side, int rank, std::uint64_t bytes)
    {
        parts_.add({side, Whom::one, communicator_.world_rank_of(rank), bytes});
    }

    void self(Side side, std::uint64_t bytes)
    {
        parts_.add({side, Whom::one, communicator_.own_world_rank(), bytes});
    }

    void many(Side side, Whom whom, std::uint64_t, std::uint64_t bytes)
    {
        parts_.add({side, whom, outside_world, bytes});
    }

  private:
    Parts &parts_;
    const Communicator &communicator_;
};

/* An operation that is known at run time only; all that move data are up to the last one. */
constexpr auto last = qmpi::operation::compare_and_swap;

template <typename Movement, std::size_t... numbers>
void run(Movement movement, qmpi::operation operation, std::index_sequence<numbers...>)
{
    ((static_cast<std::size_t>(operation) == numbers &&
      (movement.template run<static_cast<qmpi::operation>(numbers), false>(), true)) ||
     ...);
}

}  // namespace

Parts parts_of(const movement::Description &description, const Communicator &communicator)
{
    Parts parts;
    KnownGroup group(communicator);
    PartMaker maker(parts, communicator);
    movement::Movement movement(description, group, maker);
    if (description.is_neighborhood)
        movement.run<qmpi::operation::none, true>();
    else
        run(movement, description.operation,
            std::make_index_sequence<static_cast<std::size_t>(last) + 1>());
    return parts;
}

}  // namespace v1
}  // namespace qmpi
