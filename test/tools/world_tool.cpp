/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Prints what the kit reports of the world or the job, and takes a step that the given rank cannot take. */

#include <qmpi.hpp>

#include <cstdio>

namespace {

struct Roll : qmpi::tool<Roll> {
    int fails = arguments().get("fails", -1);

    void at_world_begin(const qmpi::world &world)
    {
        try {
            const int number = world.agree([&] {
                if (world.program_rank() == fails)
                    throw std::runtime_error("no room");
                return world.rank();
            });
            std::fprintf(stderr, "roll: rank %d is number %d of %d; absent: %s.\n",
                         world.program_rank(), number, world.size(), world.absent().c_str());
        } catch (const qmpi::world_error &error) {
            std::fprintf(stderr, "roll: rank %d has left: %s\n", world.program_rank(),
                         error.what());
        }
    }

    void at_world_end(const qmpi::world &world)
    {
        const std::string text = world.share("from rank " + std::to_string(world.program_rank()));
        std::fprintf(stderr, "roll: rank %d ends with the text %s\n", world.program_rank(),
                     text.c_str());
    }

    std::string offer_to_job(int size) { return "offer-to-" + std::to_string(size); }

    void at_job_begin(const qmpi::job &job)
    {
        std::fprintf(stderr, "roll: rank %d of the %d of a job gets \"%s\"; absent: %s.\n",
                     job.rank(), job.size(), job.offer(),
                     job.rank() == 0 ? job.absent().c_str() : "");
    }

    void at_abort() { std::fprintf(stderr, "roll: abort\n"); }
};

}  // namespace

QMPI_TOOL("roll", Roll)
