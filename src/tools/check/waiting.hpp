/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Reports blocked calls to the analyser, for its wait-for graph. */

#ifndef TOOLS_CHECK_WAITING_HPP_INCLUDED
#define TOOLS_CHECK_WAITING_HPP_INCLUDED

#include "local_process.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace qmpi::check {

/* Ends with a message to or from a peer (or any) of the communicator; what names the direction. */
Wait wait_for(const Communicator &communicator, int peer, int tag, const char *what);

/* The same for the receive with that number; 0: a probe. */
Wait wait_for_message(const Communicator &communicator, int source, int tag, std::uint64_t number);

/* Most calls return at once; a thread reports those that do not. */
class Waiting {
  public:
    explicit Waiting(LocalProcess &process) : process_(process) {}
    ~Waiting() { stop(); }

    /* Once connected. is_watched: the analyser wants these events. */
    void start(bool is_watched);
    void stop();

    void begin(BlockedEvent event);
    void end();

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr auto short_time = std::chrono::milliseconds(300);

    void report_blocked();

    LocalProcess &process_;
    bool is_watched_ = false;
    std::mutex lock_;
    std::optional<BlockedEvent> event_;
    Clock::time_point since_;
    bool is_reported_ = false;

    std::mutex thread_lock_;
    std::condition_variable wake_up_;
    bool is_ending_ = false;
    std::thread thread_;
};

/* Marks the process as blocked during its lifetime. */
class Blocked {
  public:
    Blocked(Waiting &waiting, BlockedEvent event) : waiting_(waiting)
    {
        waiting_.begin(std::move(event));
    }
    ~Blocked() { waiting_.end(); }
    Blocked(const Blocked &) = delete;
    Blocked &operator=(const Blocked &) = delete;

  private:
    Waiting &waiting_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_WAITING_HPP_INCLUDED */
