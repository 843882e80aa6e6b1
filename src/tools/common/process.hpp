/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Queries about the process. Thread-safe at any time; calls go to the library, below all tools. */

#ifndef QMPI_PROCESS_HPP_INCLUDED
#define QMPI_PROCESS_HPP_INCLUDED

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>

#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

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

/* The file stat of a process or thread (/proc/PID, /proc/PID/task/TID) from field 3, its state, on, as
 * proc(5) counts; empty if it has ended. */
inline std::string stat_text(const std::string &folder)
{
    char text[1024] = "";
    std::FILE *const file = std::fopen((folder + "/stat").c_str(), "re");
    if (file == nullptr)
        return "";
    const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    text[length] = '\0';
    const char *const end = std::strrchr(text, ')'); /* of field 2, which may have spaces */
    return end == nullptr || end[1] == '\0' ? "" : end + 2;
}

/* A number in it, from field 4 on; 0 if there is none. */
inline std::uint64_t stat_field(const std::string &text, int field)
{
    const char *at = text.c_str();
    for (int i = 3; at != nullptr && i < field; i++) {
        at = std::strchr(at, ' ');
        at += at == nullptr ? 0 : 1;
    }
    return at == nullptr ? 0 : std::strtoull(at, nullptr, 10);
}

inline std::uint64_t stat_field(pid_t process, int field)
{
    return stat_field(stat_text("/proc/" + std::to_string(process)), field);
}

/* Wall-clock time: "2026-11-21 15:04:05 +0000" */
std::string local_time(std::time_t seconds);
std::string local_time();

/* Makes the folder if it does not exist, and returns its path. Throws std::runtime_error if another
 * user owns it or can enter it. */
inline std::string private_folder(const std::string &path)
{
    struct stat status {};
    if ((mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) || lstat(path.c_str(), &status) != 0)
        throw std::runtime_error("cannot make " + path + ": " + std::strerror(errno));
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077) != 0)
        throw std::runtime_error(path + " is not a folder that this user alone can enter");
    return path;
}

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
