/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The level of thread support decides which threads may call (MPI 4.0, 11.6.2). Thread-safe. */

#ifndef TOOLS_CHECK_THREAD_RULES_HPP_INCLUDED
#define TOOLS_CHECK_THREAD_RULES_HPP_INCLUDED

#include "local_process.hpp"

#include <qmpi.hpp>

#include <atomic>

#include <pthread.h>

namespace qmpi::check {

class ThreadRules {
  public:
    explicit ThreadRules(LocalProcess &process) : process_(process) {}

    /* In MPI_Init. Nothing is forbidden before. */
    void begin();

    /* Other functions, such as those for info, any thread may call at any time. MPI_Abort is the last
     * resort, also of this tool's thread. */
    template <typename Call>
    static constexpr bool concern()
    {
        using qmpi::role;
        return Call::id != MPI_ABORT_T &&
            (Call::has(role::communicator) || Call::has(role::window) || Call::has(role::file) ||
             Call::has(role::request));
    }

    /* A call of the current thread, during its lifetime. */
    class Call {
      public:
        Call(ThreadRules &rules, const Here &here, bool is_concerned)
            : rules_(is_concerned && rules.level_ != MPI_THREAD_MULTIPLE ? &rules : nullptr)
        {
            if (rules_ != nullptr)
                earlier_ = rules_->enter(here);
        }
        ~Call()
        {
            if (rules_ != nullptr)
                rules_->caller_ = earlier_;
        }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;

      private:
        ThreadRules *rules_;
        pthread_t earlier_{};
    };

    /* Before MPI_Finalize. */
    void check_end(const Here &here);

  private:
    /* Returns the thread that was in MPI already, if any: the same one if a callback calls. */
    pthread_t enter(const Here &here);
    void found(const Here &here, const char *fault);

    LocalProcess &process_;
    int level_ = MPI_THREAD_MULTIPLE;
    pthread_t main_{};
    std::atomic<pthread_t> caller_{};
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_THREAD_RULES_HPP_INCLUDED */
