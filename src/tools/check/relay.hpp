/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The hub of another host or world, which passes events on towards rank 0, and answers back. */

#ifndef TOOLS_CHECK_RELAY_HPP_INCLUDED
#define TOOLS_CHECK_RELAY_HPP_INCLUDED

#include "hub.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

namespace qmpi::check {

/* A connection by which the processes of a spawned world join the analysis. */
struct Entrance {
    Socket socket;
    int first = 0; /* rank of the first of them */

    /* root: hub of the analyser. Throws std::runtime_error. */
    static Entrance of(const World &world, const Address &root);
};

class Relay : public Hub {
  public:
    using Hub::Hub;
    ~Relay() override { stop(); }

    /* Before start(). */
    void connect(Socket parent);

    /* Waits until all processes that use it have ended or the timeout, then ends all connections. */
    void finish(std::chrono::duration<double> longest);

  private:
    void take(int rank, std::string_view events) override;
    void lost(int rank) override;
    void idle() override;
    void ready() override;

    void leave();

    Socket parent_;
    std::string output_;  /* of this round, to the parent */
    std::string answers_; /* from the parent: those that are not whole */
    std::mutex lock_;     /* protects the following */
    bool is_needed_ = true;
    std::condition_variable ended_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_RELAY_HPP_INCLUDED */
