/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Scripts of several threads, each with its own communicators, and sessions. */

#ifndef THREADS_HPP
#define THREADS_HPP

#include <thread>

#include "script.hpp"

void run_script(Script &script, int steps);

namespace threads {

inline void run(Script &script)
{
    Random &draw = script.draw;
    const auto comm = script.intra();
    const int n = draw.between(1, 3), steps = draw.between(2, 6), first = script.next_tag++;
    if (!script.has_threads || !script.is_main() || !comm->has(script.me))
        return;
    script.say("%d threads, comm %d", n, comm->number);
    std::vector<std::unique_ptr<Script>> scripts;
    std::vector<std::thread> all;
    for (int i = 0; i < n; i++) {
        scripts.push_back(std::make_unique<Script>(script.options, script.me, script.processes,
                                                   static_cast<uint64_t>(script.step * 8 + i + 1)));
        const auto own = std::make_shared<Comm>(*comm);
        own->messages_until = own->collectives_until = -1;
        own->number = 0;
        MPI_Comm_dup(comm->handle, &own->handle);
        scripts.back()->comms.push_back(own);
    }
    for (const auto &one : scripts)
        all.emplace_back([&one, steps] { run_script(*one, steps); });
    for (std::thread &one : all)
        one.join();
    for (const auto &one : scripts)
        MPI_Comm_free(&one->comms[0]->handle);
    (void) first;
}

/* A session beside MPI_COMM_WORLD, with communicators of all processes */
inline void session(Script &script)
{
    const int steps = script.draw.between(1, 5);
    if (!script.is_main())
        return;
    script.say("session");
    MPI_Session session;
    MPI_Group group;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    const auto own = std::make_shared<Comm>(*script.comms[0]);
    own->messages_until = own->collectives_until = -1;
    own->number = 0;
    const std::string tag = "drawn" + std::to_string(script.step);
    MPI_Comm_create_from_group(group, tag.c_str(), MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                               &own->handle);
    MPI_Group_free(&group);
    Script inner(script.options, script.me, script.processes,
                 static_cast<uint64_t>(script.step * 8 + 7));
    inner.comms.push_back(own);
    run_script(inner, steps);
    MPI_Comm_free(&own->handle);
    MPI_Session_finalize(&session);
}

}  // namespace threads

#endif
