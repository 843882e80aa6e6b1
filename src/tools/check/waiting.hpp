/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Reports blocked calls to the analyser, for its wait-for graph. */

#ifndef TOOLS_CHECK_WAITING_HPP_INCLUDED
#define TOOLS_CHECK_WAITING_HPP_INCLUDED

#include "few.hpp"
#include "local_process.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace qmpi::check {

/* An event that completes an operation. */
struct Expected {
    Completion kind = Completion::unknown;
    SharedCommunicator communicator;
    /* of the collective or partitioned operation, receive or send, or see Completion; 0: of a probe */
    std::uint64_t number = 0;
    int peer = MPI_ANY_SOURCE; /* of an end: the process itself */
    int tag = MPI_ANY_TAG;

    bool is_of_neighbours = false; /* a collective operation that waits for them only */
    bool is_of_window = false;     /* what starts is its fence or end */
    std::uint64_t made = 0; /* CollectiveObject that is used for the number-th time; else 0 */

    /* The collective operation, if that is what starts. */
    OperationKey collective() const { return {true, object(), number}; }

    std::uint64_t object() const { return made != 0 ? made : communicator->id; }
};

using Expectations = Few<Expected, 1>;

struct BlockedCall {
    Position position;
    bool needs_all = true; /* all of the following, or any one */
    Expectations expected;
};

/* Most calls return at once; a thread reports those that do not. */
class Waiting {
  public:
    explicit Waiting(LocalProcess &process) : process_(process) {}
    ~Waiting() { stop(); }

    /* In MPI_Init, before the library starts threads. */
    void begin_init();

    /* Once connected, in MPI_Init.
     *   is_watched  the analyser wants these events
     *   processes   of this host, or 1 if their number is not known */
    void start(bool is_watched, int processes);
    void stop();

    void begin(BlockedCall &&call);
    void end();

  private:
    using Clock = std::chrono::steady_clock;
    using Time = std::chrono::milliseconds;
    static constexpr Time short_time{200};

    /* A call that a thread is in. */
    struct Entered {
        pid_t thread;
        BlockedCall call;
        std::optional<Clock::time_point> seen; /* when report_blocked() first saw it */
    };

    using States = std::map<std::string, std::string>; /* of threads */

    static Time shortest_pause(int processes);
    bool look();
    bool report_blocked();
    void report_polling();
    void retract();

    /* No other thread of the program can end the wait: each is in one of the calls, or waits for
     * another thread. */
    bool are_all_waiting(States &states) const;

    /* Empty if the thread may end the wait; else a text that is the same later if the thread has slept
     * in between. */
    std::string state_of(const std::string &thread) const;
    bool is_entered(const std::string &thread) const;

    LocalProcess &process_;
    bool is_watched_ = false;
    std::set<std::string> old_threads_;     /* those before MPI_Init; empty: unknown */
    std::set<std::string> library_threads_; /* those that have started in MPI_Init */
    std::mutex lock_;
    std::vector<Entered> entered_; /* by different threads */
    bool is_reported_ = false;
    States states_; /* when it was reported */

    /* The process has only tested in vain. Of the thread below. */
    Recorder::Polls polls_;
    Clock::time_point polling_since_;
    bool is_polling_ = false; /* reported */

    std::mutex thread_lock_;
    std::condition_variable wake_up_;
    bool is_ending_ = false;
    std::thread thread_;
};

/* Marks the process as blocked during its lifetime. */
class Blocked {
  public:
    Blocked(Waiting &waiting, BlockedCall &&call) : waiting_(waiting)
    {
        waiting_.begin(std::move(call));
    }
    ~Blocked() { waiting_.end(); }
    Blocked(const Blocked &) = delete;
    Blocked &operator=(const Blocked &) = delete;

  private:
    Waiting &waiting_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_WAITING_HPP_INCLUDED */
