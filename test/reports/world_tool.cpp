/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Prints what the kit reports of the world, the job or its parents, and takes a step that the given rank cannot take. */

#include <qmpi.hpp>

#include <cstdio>

namespace {

struct Roll : qmpi::tool<Roll> {
    int fails = arguments().get("fails", -1);
    std::string world_;

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

    std::string offer_to_spawned() { return "offer-to-spawned"; }

    void at_spawned(const qmpi::spawned &processes)
    {
        std::fprintf(stderr, "roll: %d are spawned with \"%s\"\n", processes.size(),
                     processes.offer());
        world_ = processes.world();
    }

    /* After MPI_Init: a spawned process knows its world by the same name as in at_spawned. */
    int MPI_Comm_get_parent(qmpi::call<MPI_COMM_GET_PARENT_T> &call)
    {
        const int error_code = call();
        const char *world = "";
        int rank = -1;
        MPI_Group group;
        QMPI_Comm_group(MPI_COMM_WORLD, &group);
        MPIX_Get_process_world(group, 0, &world, &rank);
        if (!world_.empty())
            std::fprintf(stderr, "roll: rank %d of %s\n", rank, world_ == world ? "it" : world);
        QMPI_Group_free(&group);
        return error_code;
    }

    void at_abort() { std::fprintf(stderr, "roll: abort\n"); }
};

}  // namespace

QMPI_TOOL("roll", Roll)
