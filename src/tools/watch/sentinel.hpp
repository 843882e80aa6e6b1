/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* watch(hang=TIME): a thread of one process says when no rank of the job can go on. */

#ifndef TOOLS_WATCH_SENTINEL_HPP_INCLUDED
#define TOOLS_WATCH_SENTINEL_HPP_INCLUDED

#include "state.hpp"

#include <qmpi.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace qmpi::watch {

struct HangOption {
    std::chrono::duration<double> time{0}; /* 0: nobody watches */
    bool aborts = false;
    int status = 1; /* of MPI_Abort */
};

/* Watches a job whose ranks are all on this host, have records in the folder, and have met no other
 * job. It hangs if for the whole time each rank was in one call that waits for other ranks, or killed,
 * or stopped, and no thread outside MPI has computed. So a job in which a rank computes, or waits for a
 * file, a person or another job, never hangs. */
class Sentinel {
  public:
    /* path, own: the record of this process, and its content; the others are in the same folder. */
    Sentinel(HangOption option, std::string path, const State &own);

    /* Ends the thread. */
    ~Sentinel();
    Sentinel(const Sentinel &) = delete;
    Sentinel &operator=(const Sentinel &) = delete;

  private:
    void watch();
    bool sleep_for(std::chrono::duration<double> time);
    void report(double seconds) const;

    const HangOption option_;
    const std::string path_;
    const State &own_;
    std::mutex lock_;
    std::condition_variable ends_;
    bool has_ended_ = false;
    std::thread thread_;
};

}  // namespace qmpi::watch

namespace qmpi {
inline namespace v1 {

/* TIME[:abort][:status=N] */
template <>
struct option_type<watch::HangOption> {
    static constexpr const char *placeholder = "TIME[:abort][:status=N]";
    static watch::HangOption read(const std::string &text);
    static std::string text(const watch::HangOption &) { return ""; }
};

}  // namespace v1
}  // namespace qmpi

#endif /* TOOLS_WATCH_SENTINEL_HPP_INCLUDED */
