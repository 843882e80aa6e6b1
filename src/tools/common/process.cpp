/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "process.hpp"

#include <qmpi.hpp>

#include <ctime>

#include <unistd.h>

namespace qmpi {
inline namespace v1 {

std::string local_time(std::time_t seconds)
{
    std::tm parts{};
    char text[64] = "";
    localtime_r(&seconds, &parts);
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &parts);
    return text;
}

std::string local_time()
{
    return local_time(std::time(nullptr));
}

std::string host_name()
{
    char name[256] = "";
    gethostname(name, sizeof name - 1); /* a truncated name may lack the final zero */
    return name;
}

const char *function_name(int id) noexcept
{
    const char *name = "";
    return QMPIX_Get_function_name(id, &name) == MPI_SUCCESS ? name : "";
}

bool is_world_up() noexcept
{
    int is_initialized = 0, is_finalized = 0;
    QMPI_Initialized(&is_initialized);
    QMPI_Finalized(&is_finalized);
    return is_initialized && !is_finalized;
}

bool can_threads_call() noexcept
{
    int level = MPI_THREAD_MULTIPLE;
    return !is_world_up() || QMPI_Query_thread(&level) != MPI_SUCCESS ||
        level == MPI_THREAD_MULTIPLE;
}

bool is_spawned() noexcept
{
    MPI_Comm parent = MPI_COMM_NULL;
    return is_world_up() && QMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

}  // namespace v1
}  // namespace qmpi
