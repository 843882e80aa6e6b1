/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Messages between two processes that a call implies (movement.hpp). */

#ifndef QMPI_PATTERNS_HPP_INCLUDED
#define QMPI_PATTERNS_HPP_INCLUDED

#include "communicators.hpp"
#include "movement.hpp"

#include <qmpi.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace qmpi {
inline namespace v1 {

enum class Kind : std::uint8_t { point_to_point, collective, one_sided };

/* One message of a size to, or from, each of some processes. */
struct Part {
    Side side;
    Whom whom;
    int peer; /* Whom::one: world rank, or outside_world */
    std::uint64_t bytes;
};

/* Parts of a call; usually one or two. */
class Parts {
  public:
    void add(const Part &part)
    {
        if (number_ < few_.size())
            few_[number_] = part;
        else {
            if (many_.empty())
                many_.assign(few_.begin(), few_.end());
            many_.push_back(part);
        }
        number_++;
    }

    const Part *begin() const { return many_.empty() ? few_.data() : many_.data(); }
    const Part *end() const { return begin() + number_; }

  private:
    std::size_t number_ = 0;
    std::array<Part, 2> few_{};
    std::vector<Part> many_;
};

/* Number of peers, and their world ranks. Not for Whom::one. */
std::size_t number_of(Whom whom, const Communicator &communicator);
std::vector<int> world_ranks_of(Whom whom, const Communicator &communicator);

/* The group of a movement, by what is known about its communicator. */
class KnownGroup {
  public:
    explicit KnownGroup(const Communicator &communicator) : communicator_(communicator) {}

    bool is_inter() const { return communicator_.is_inter; }
    int rank() const { return communicator_.rank; }
    int size() const { return communicator_.size; }
    int remote_size() const { return static_cast<int>(communicator_.remote.size()); }

    int neighbors(Side side) const
    {
        int number = 0;
        each_neighbor(side, [&number](int, int rank) { number += rank != MPI_PROC_NULL; });
        return number;
    }

    template <typename Visit>
    void each_neighbor(Side side, Visit visit) const
    {
        int index = 0;
        for (int rank : side == Side::sent ? communicator_.destinations : communicator_.sources)
            visit(index++, rank);
    }

  private:
    const Communicator &communicator_;
};

void add_received(Parts &parts, const movement::Received &received,
                  const Communicator &communicator);

/* True if the function can imply messages. */
template <typename Call>
constexpr bool communicates()
{
    return movement::is_point_to_point(Call::operation) ||
        movement::is_collective_data(Call::operation) || movement::is_one_sided(Call::operation);
}

template <typename Call>
constexpr Kind kind_of()
{
    if (movement::is_one_sided(Call::operation))
        return Kind::one_sided;
    return movement::is_point_to_point(Call::operation) ? Kind::point_to_point : Kind::collective;
}

/* Messages that a call implies for the calling process, except the one that a status has. Query
 * right after the call succeeded.
 *   description      of the call, from before it
 *   communicator     of the call, or of its window */
Parts parts_of(const movement::Description &description, const Communicator &communicator);

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_PATTERNS_HPP_INCLUDED */
