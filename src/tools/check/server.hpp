/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The hub of rank 0, which passes the events of all processes to the analyser. */

#ifndef TOOLS_CHECK_SERVER_HPP_INCLUDED
#define TOOLS_CHECK_SERVER_HPP_INCLUDED

#include "analyser.hpp"
#include "hub.hpp"
#include "statement.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpi::check {

class Server : public Hub {
  public:
    /* The thread calls on_deadlock after it has reported a deadlock. */
    Server(int size, std::chrono::duration<double> timeout, bool finds_deadlocks,
           Findings &findings, Recorder &recorder, std::function<void()> on_deadlock)
        : Hub(size), analyser_(size, timeout, findings, recorder),
          finds_deadlocks_(finds_deadlocks), on_deadlock_(std::move(on_deadlock))
    {
    }

    ~Server() override { stop(); }

    /* The process takes no part. Before start(). */
    void exclude(int rank) { analyser_.lost(rank); }

    void find_unreceived();

    /* Waits until all processes have ended or the timeout, then makes the final checks. */
    void finish(std::chrono::duration<double> longest);

    /* Rank 0 ends without MPI_Finalize: takes what is sent until all have ended or no more comes, in well
     * below a second. */
    void settle();

    /* From now on: rank 0 is about to end. */
    void ignore_deadlocks() { ignores_deadlocks_ = true; }

    /* After stop(), when rank 0 ends: answers the processes that end without MPI_Finalize. */
    void let_all_go();

    /* Of processes that have sent theirs. */
    Statement statement();

    /* Spawned processes that have joined. Also in calls from the analyser. */
    std::set<int> spawned();

    /* Those that have not called MPI_Finalize. */
    std::set<int> unfinished();

    /* Answers the processes that have ended. After stop(), when the report is written. */
    void dismiss();

  private:
    void take(int rank, std::string_view events) override;
    void take(int rank, const Head &head, Reader &&reader);
    void lost(int rank) override;
    int add(const World &world) override;
    void idle() override;

    /* Processes send their events within a second. */
    static constexpr std::chrono::seconds longest_on_the_way{2};

    /* For settle(): at most, and without input */
    static constexpr std::chrono::milliseconds longest_settling{500}, settled{100};

    /* Answers processes that have got a message too long for the buffer, when the call that sent it is
     * known: it can be in another process's buffer yet. */
    void answer_failed();

    /* Answers processes that end without MPI_Finalize, while rank 0 does not. */
    void let_go();

    /* Answers who asked if processes are compared, when it is known of those that join. */
    void answer_questions();

    /* Looks for cycles and deadlocks from time to time. True if there is a new deadlock. */
    bool search();

    std::atomic<std::uint64_t> taken_{0}; /* frames */
    std::mutex lock_;                     /* protects the analyser */
    std::condition_variable ended_;
    Analyser analyser_;
    Statement statement_;
    const bool finds_deadlocks_;
    std::atomic<bool> ignores_deadlocks_{false};
    std::function<void()> on_deadlock_;
    std::mutex spawned_lock_; /* protects the next */
    std::set<int> spawned_;
    std::map<std::string, int> worlds_;                       /* first rank, by name */
    std::vector<std::pair<int, std::vector<int>>> questions_; /* who asks, and of whom */
    std::vector<int> waiting_; /* processes that have ended and wait until the report is written */
    std::vector<std::pair<int, std::chrono::steady_clock::time_point>>
        leaving_; /* processes that end without MPI_Finalize, and how long they wait at most */
    std::chrono::steady_clock::time_point next_search_{};
    std::vector<std::pair<int, std::chrono::steady_clock::time_point>>
        failed_; /* processes whose call has failed, and how long they wait at most */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_SERVER_HPP_INCLUDED */
