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
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

namespace qmpi::check {

/* An event that completes an operation. */
struct Expected {
    enum class What : std::uint8_t {
        unknown,
        start,   /* of the same collective operation, by all others */
        receive, /* by the peer */
        message, /* of the peer */
        ready    /* MPI_Pready of the process itself, for that number of partitions */
    };

    What what = What::unknown;
    SharedCommunicator communicator;
    std::uint64_t number =
        0; /* of the collective operation, receive or send, or see above; 0: of a probe */
    int peer = MPI_ANY_SOURCE;
    int tag = MPI_ANY_TAG;

    /* The collective operation, if that is what starts. */
    OperationKey collective() const { return {true, communicator->id, number}; }
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

    /* Once connected, in MPI_Init. is_watched: the analyser wants these events. */
    void start(bool is_watched);
    void stop();

    void begin(BlockedCall &&call);
    void end();

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr auto interval = std::chrono::milliseconds(100);
    static constexpr auto short_time = std::chrono::milliseconds(200);

    void report_blocked();

    /* No other thread of the program can end the wait. */
    bool is_alone() const;

    LocalProcess &process_;
    bool is_watched_ = false;
    std::set<std::string> old_threads_;     /* those before MPI_Init; empty: unknown */
    std::set<std::string> library_threads_; /* those that have started in MPI_Init */
    std::mutex lock_;
    std::optional<BlockedCall> call_;
    bool is_reported_ = false;
    std::optional<Clock::time_point> seen_; /* when the thread first saw the call */

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
