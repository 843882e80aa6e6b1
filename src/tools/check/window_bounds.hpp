/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accesses outside the memory of a window. Not thread-safe. */

#ifndef TOOLS_CHECK_WINDOW_BOUNDS_HPP_INCLUDED
#define TOOLS_CHECK_WINDOW_BOUNDS_HPP_INCLUDED

#include "events.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qmpi::check {

class WindowBounds {
  public:
    struct Access {
        int rank, target;
        Position position;
        std::int64_t displacement;
        std::int64_t begin, end; /* bytes of the data from there; of those outside, in the window */
        std::int64_t size;       /* of the window, if outside */
    };

    /* Return accesses that are outside. */
    std::vector<Access> made(int rank, const WindowEvent &event)
    {
        Target &target = windows_[event.window][rank];
        target.unit = event.unit;
        target.size = event.size;
        std::vector<Access> outside;
        for (const Access &access : std::exchange(target.early, {}))
            compare(target, access, outside);
        return outside;
    }

    std::vector<Access> access(int rank, const AccessEvent &event)
    {
        Access access{rank, event.target, event.position, event.displacement, 0, 0, 0};
        access.begin = event.blocks[0];
        access.end = access.begin + event.blocks[1];
        for (std::size_t i = 2; i + 1 < event.blocks.size(); i += 2) {
            access.begin = std::min(access.begin, event.blocks[i]);
            access.end = std::max(access.end, event.blocks[i] + event.blocks[i + 1]);
        }
        Target &target = windows_[event.window][event.target];
        std::vector<Access> outside;
        if (target.unit != 0)
            compare(target, access, outside);
        else if (target.early.size() < most_early)
            target.early.push_back(access);
        else
            crowded_.push_back(event.target);
        return outside;
    }

    /* Targets of accesses that were not looked at. */
    std::vector<int> take_crowded() { return std::exchange(crowded_, {}); }

    void free(std::uint64_t window) { windows_.erase(window); }

  private:
    static constexpr std::size_t most_early = 4096; /* of a target */
    std::vector<int> crowded_;

    struct Target {
        std::int64_t unit = 0; /* 0: unknown */
        std::int64_t size = -1;
        std::vector<Access> early; /* before the unit is known */
    };

    static void compare(const Target &target, Access access, std::vector<Access> &outside)
    {
        access.size = target.size;
        access.begin += access.displacement * target.unit;
        access.end += access.displacement * target.unit;
        if (target.size >= 0 && (access.begin < 0 || access.end > target.size))
            outside.push_back(access);
    }

    std::unordered_map<std::uint64_t, std::map<int, Target>> windows_; /* by rank */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_WINDOW_BOUNDS_HPP_INCLUDED */
