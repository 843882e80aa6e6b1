/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A right MPI program, drawn from a seed. Every process draws the same script and makes its own part of it:

   draw SEED [steps=N] [deterministic] [trace] [skip=STEP,...] [only=KIND]

   Data is compared with what the script says. trace prints the script, skip leaves out steps, only= draws one kind. */

#include <mpi.h>

#include "collectives.hpp"
#include "files.hpp"
#include "messages.hpp"
#include "objects.hpp"
#include "threads.hpp"
#include "windows.hpp"

namespace {

/* True if all processes share memory. */
bool is_one_node(int processes)
{
    MPI_Comm node;
    int size, least;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &size);
    MPI_Comm_free(&node);
    MPI_Allreduce(&size, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least == processes;
}

struct Kind {
    const char *name;
    int weight;
    void (*run)(Script &);
};

const std::vector<Kind> kinds = {
    {"exchange", 10, messages::exchange},
    {"any_tags", 3, messages::any_tags},
    {"shift", 5, messages::shift},
    {"nothing", 3, messages::nothing},
    {"collective", 12, collectives::exchange},
    {"reduce", 8, collectives::reduce},
    {"neighbors", 6, collectives::neighbors},
    {"window", 6, windows::run},
    {"file", 3, files::run},
    {"missing", 1, files::missing},
    {"threads", 3, threads::run},
    {"session", 1, threads::session},
    {"make_comm", 10, objects::make_comm},
    {"merge", 3, objects::merge},
    {"free_comm", 5, objects::free_comm},
    {"local", 6, objects::local},
};

}  // namespace

void run_script(Script &script, int steps)
{
    std::vector<Kind> fit;
    for (const Kind &one : kinds)
        if (script.options.only.empty() || script.options.only == one.name)
            for (int i = 0; i < one.weight; i++)
                fit.push_back(one);
    const uint64_t first = script.key();
    for (script.step = 0; script.step < steps; script.step++) {
        script.draw = Random(first, static_cast<uint64_t>(script.step));
        const Kind kind = script.draw.of(fit);
        if (!script.is_main() || !script.options.skipped.count(script.step)) {
            script.say("%s", kind.name);
            kind.run(script);
        }
        script.complete();
        objects::limit(script, 10);
        if (script.own.chance(5))
            usleep(static_cast<useconds_t>(script.own.below(3000)));
        if (script.is_main() && script.draw.chance(5))
            messages::flush_buffer(script);
    }
    objects::limit(script, 4); /* the others while operations may pend */
    script.step = 1 << 30;
    script.complete();
    objects::limit(script, 1);
}

int main(int argc, char **argv)
{
    Options options;
    int me, processes;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "deterministic")
            options.is_deterministic = true;
        else if (word == "trace")
            options.is_traced = true;
        else if (word.rfind("steps=", 0) == 0)
            options.steps = atoi(argv[i] + 6);
        else if (word.rfind("only=", 0) == 0)
            options.only = word.substr(5);
        else if (word.rfind("skip=", 0) == 0)
            for (const char *at = argv[i] + 4; at; at = strchr(at + 1, ','))
                options.skipped.insert(atoi(at + 1));
        else
            options.seed = strtoull(argv[i], nullptr, 10);
    }
    /* One program in four may have several threads. */
    const bool wants_threads = Random(options.seed, 77).chance(25);
    int level;
    if (wants_threads)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    Script::is_one_node = is_one_node(processes);
    std::vector<char> buffer(messages::buffer_size);
    MPI_Buffer_attach(buffer.data(), messages::buffer_size);
    {
        Script script(options, me, processes, 0);
        script.has_threads = wants_threads;
        const auto world = std::make_shared<Comm>();
        world->handle = MPI_COMM_WORLD;
        for (int i = 0; i < processes; i++)
            world->groups[0].push_back(i);
        script.comms.push_back(world);
        run_script(script, options.steps);
    }
    void *old;
    int size;
    MPI_Buffer_detach(&old, &size);
    MPI_Finalize();
    return 0;
}
