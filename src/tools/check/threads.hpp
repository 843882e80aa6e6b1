/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Threads of the process that are in MPI at the same time. The order of two calls is known if one has
 * returned before the other begins. Of others it matters only if both could match the same message, or
 * if both are collective. */

#ifndef TOOLS_CHECK_THREADS_HPP_INCLUDED
#define TOOLS_CHECK_THREADS_HPP_INCLUDED

#include "events.hpp"
#include "few.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

namespace qmpi::check {

/* An operation of a call, whose order with those of other threads can matter. */
struct Use {
    enum class Kind : std::uint8_t { send, receive, collective, access, synchronization };

    Kind kind = Kind::collective;
    std::uint64_t object = 0; /* communicator or window */
    Position position;
    int peer = MPI_ANY_SOURCE; /* or target; MPI_ANY_SOURCE: all */
    int tag = MPI_ANY_TAG;
    /* Hash of the data of a blocking receive; 0: none. It does not matter which of two equal ones gets a
     * message. */
    std::uint64_t data = 0;
};

/* Thread-safe. */
class Threads {
  public:
    /* A call of the current thread. Nothing is followed before set_multiple(). */
    class Call {
      public:
        explicit Call(Threads &threads) : threads_(threads.is_multiple_ ? &threads : nullptr)
        {
            if (threads_ != nullptr)
                threads_->begin();
        }
        ~Call()
        {
            if (threads_ != nullptr)
                threads_->end();
        }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;

      private:
        Threads *threads_;
    };

    /* Several threads can be in MPI at the same time. */
    void set_multiple() { is_multiple_ = true; }
    bool is_multiple() const { return is_multiple_; }

    /* More than one thread has called. */
    bool are_several() const { return are_several_; }

    /* Other threads are in calls. */
    bool are_others_calling();

    /* Of the current thread, from 0 in the order of their first calls; none before. */
    static std::optional<std::uint32_t> number();

    struct Other {
        Position position;
        bool is_unordered; /* this thread cannot know that the other one's call comes first */
    };

    /* Part of the current call. Returns a call of another thread whose order with it matters and is
     * unknown. From then on, that of all calls on the object is. */
    std::optional<Other> use(const Use &use);

    bool is_ordered(std::uint64_t object);

  private:
    struct Entered {
        Use use;
        std::uint64_t ended; /* calls of the process at that time */
    };

    void begin();
    void end();

    std::atomic<bool> is_multiple_{false};
    std::atomic<bool> are_several_{false};
    std::mutex lock_;         /* protects the following */
    std::uint64_t ended_ = 0; /* calls */
    std::map<std::thread::id, Few<Entered, 2>> calls_;
    std::set<std::uint64_t> unordered_; /* objects */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_THREADS_HPP_INCLUDED */
