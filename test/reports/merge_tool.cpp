/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Merges the ranks of all processes; one process may be unable to write, or to merge. */

#include <qmpi.hpp>
#include <qmpi/merge.hpp>

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

struct Ranks {
    std::vector<int> ranks;
    bool writes, merges;

    void write(qmpi::Writer &writer) const
    {
        if (!writes)
            throw std::runtime_error("cannot write");
        writer.put(ranks);
    }

    void merge(qmpi::Reader &reader)
    {
        if (!merges)
            throw std::runtime_error("cannot merge");
        for (int rank : reader.get<std::vector<int>>())
            ranks.push_back(rank);
    }
};

struct Merge : qmpi::tool<Merge> {
    int cannot_write = arguments().get("write", -1), cannot_merge = arguments().get("merge", -1);

    void at_world_end(const qmpi::world &world)
    {
        const int rank = world.rank();
        Ranks state{{rank}, rank != cannot_write, rank != cannot_merge};
        const bool is_merged = qmpi::merge_to_root(world.comm(), state);
        std::fprintf(stderr, "merge: rank %d: %s, %zu\n", rank, is_merged ? "yes" : "no",
                     rank == 0 ? state.ranks.size() : 0);
    }
};

}  // namespace

QMPI_TOOL("merge", Merge)
