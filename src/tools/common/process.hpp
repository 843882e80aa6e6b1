/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* What a tool asks of the process that it is in. All functions may be called by any thread at any
 * time, and call the library below all tools. */

#ifndef TOOLS_PROCESS_HPP_INCLUDED
#define TOOLS_PROCESS_HPP_INCLUDED

#include <cstdint>
#include <string>

#include <time.h>

namespace tools {

/* Nanoseconds on a clock that only goes forward, the same for all processes of a host: CLOCK_MONOTONIC.
 * It stands here since it is read in every call. */
inline std::uint64_t now() noexcept
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
        static_cast<std::uint64_t>(time.tv_nsec);
}

/* What o'clock it is for people: "2026-11-21 15:04:05 +0000" */
std::string local_time();

/* As gethostname() has it; empty if the system refuses. */
std::string host_name();

/* "MPI_Send" for MPI_SEND_T; empty for what is no function. The text is the library's and stays. */
const char *function_name(int id) noexcept;

/* Whether MPI_COMM_WORLD can be used: after MPI_Init and before MPI_Finalize. */
bool is_world_up() noexcept;

/* Whether the processes of MPI_COMM_WORLD were spawned by others, so that they are not the whole job.
 * False as long as there is no MPI_COMM_WORLD. */
bool is_spawned() noexcept;

}  // namespace tools

#endif /* TOOLS_PROCESS_HPP_INCLUDED */
