/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Threads of tools. */

#ifndef QMPI_QUIET_THREAD_HPP_INCLUDED
#define QMPI_QUIET_THREAD_HPP_INCLUDED

#include <thread>
#include <utility>

#include <pthread.h>
#include <signal.h>

namespace qmpi {
inline namespace v1 {

/* A thread that receives no signals: they are the program's. */
template <typename Work>
std::thread quiet_thread(Work work)
{
    struct Blocked {
        Blocked()
        {
            sigset_t all;
            sigfillset(&all);
            pthread_sigmask(SIG_SETMASK, &all, &before);
        }
        ~Blocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
        Blocked(const Blocked &) = delete;
        Blocked &operator=(const Blocked &) = delete;

        sigset_t before{};
    };
    const Blocked blocked;
    return std::thread(std::move(work));
}

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_QUIET_THREAD_HPP_INCLUDED */
