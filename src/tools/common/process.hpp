/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Queries about the process. Thread-safe at any time; calls go to the library, below all tools. */

#ifndef QMPI_PROCESS_HPP_INCLUDED
#define QMPI_PROCESS_HPP_INCLUDED

#include <cstdint>
#include <ctime>
#include <string>

#include <time.h>

namespace qmpi {
inline namespace v1 {

/* Monotonic time in nanoseconds, common to the processes of a host. Inline, since every call reads
 * it. */
inline std::uint64_t now() noexcept
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
        static_cast<std::uint64_t>(time.tv_nsec);
}

/* Wall-clock time: "2026-11-21 15:04:05 +0000" */
std::string local_time(std::time_t seconds);
std::string local_time();

/* gethostname(); empty on error. */
std::string host_name();

/* "MPI_Send" for MPI_SEND_T; empty for an unknown id. The text is static. */
const char *function_name(int id) noexcept;

/* True between MPI_Init and MPI_Finalize. */
bool is_world_up() noexcept;

/* True if several threads may be in MPI at the same time: MPI_THREAD_MULTIPLE, or unknown. */
bool can_threads_call() noexcept;

/* True if MPI_COMM_WORLD was spawned and is not the whole job; false while there is no world. */
bool is_spawned() noexcept;

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_PROCESS_HPP_INCLUDED */
