/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* What the process waits for, so that the analyser can find out who waits for whom. */

#ifndef TOOLS_CHECK_WAITING_HPP_INCLUDED
#define TOOLS_CHECK_WAITING_HPP_INCLUDED

#include "local_process.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace tools::check {

/* A message to or from a peer (or any) of the communicator ends the waiting; what says which. */
Wait wait_for(const Communicator &communicator, int peer, int tag, const char *what);

/* The same for a message that the receive of that number gets, or a probe finds, which has 0. */
Wait wait_for_message(const Communicator &communicator, int source, int tag, std::uint64_t number);

/* Most calls are over at once: a thread tells the analyser of those that are not. */
class Waiting {
  public:
    explicit Waiting(LocalProcess &process) : process_(process) {}
    ~Waiting() { stop(); }

    /* When the process is connected; is_watched: whether anybody wants to know of it. */
    void start(bool is_watched);
    void stop();

    void begin(BlockedEvent event);
    void end();

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr auto short_time = std::chrono::milliseconds(300);

    void look();

    LocalProcess &process_;
    bool is_watched_ = false;
    std::mutex lock_;
    std::optional<BlockedEvent> event_;
    Clock::time_point since_;
    bool is_told_ = false;

    std::mutex thread_lock_;
    std::condition_variable wakes_;
    bool is_ending_ = false;
    std::thread thread_;
};

/* While it lives the process is blocked. */
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

}  // namespace tools::check

#endif /* TOOLS_CHECK_WAITING_HPP_INCLUDED */
