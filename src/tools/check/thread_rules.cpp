/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "thread_rules.hpp"

#include <string>

namespace qmpi::check {
namespace {

const char *name_of_level(int level)
{
    switch (level) {
    case MPI_THREAD_SINGLE:
        return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
        return "MPI_THREAD_FUNNELED";
    default:
        return "MPI_THREAD_SERIALIZED";
    }
}

}  // namespace

void ThreadRules::begin()
{
    main_ = pthread_self();
    if (QMPI_Query_thread(&level_) != MPI_SUCCESS)
        level_ = MPI_THREAD_MULTIPLE;
}

/* The calls of the other thread are not followed, so the process can no longer be compared. */
void ThreadRules::found(const Here &here, const char *fault)
{
    const std::string level = name_of_level(level_);
    process_.found(Kind::thread, process_.position(here),
                   fault + (", but the level of thread support is " + level));
    process_.distrust("several threads call at the level " + level);
}

pthread_t ThreadRules::enter(const Here &here)
{
    const pthread_t own = pthread_self();
    if (level_ != MPI_THREAD_SERIALIZED) {
        if (pthread_equal(own, main_) == 0)
            found(here, "not called by the main thread");
        return own;
    }
    const pthread_t earlier = caller_.exchange(own);
    if (earlier != pthread_t{} && pthread_equal(own, earlier) == 0)
        found(here, "called while another thread is in MPI");
    return earlier;
}

void ThreadRules::check_end(const Here &here)
{
    if (main_ != pthread_t{} && pthread_equal(pthread_self(), main_) == 0)
        process_.found(Kind::thread, process_.position(here),
                       "not called by the thread that has called MPI_Init");
    else if (process_.are_others_calling())
        process_.found(Kind::thread, process_.position(here),
                       "called while another thread is in MPI");
}

}  // namespace qmpi::check
