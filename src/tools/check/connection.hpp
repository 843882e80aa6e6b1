/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Transport of events to the analyser: TCP to a thread of rank 0. It works while every process is
 * blocked in MPI, needs no communicator and no thread support of the library, and does not change
 * what the program sees. */

#ifndef TOOLS_CHECK_CONNECTION_HPP_INCLUDED
#define TOOLS_CHECK_CONNECTION_HPP_INCLUDED

#include "analyser.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

namespace qmpi::check {

class Socket {
  public:
    explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
    Socket(Socket &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Socket &operator=(Socket &&other) noexcept;
    ~Socket();
    int descriptor() const { return descriptor_; }
    bool is_open() const { return descriptor_ >= 0; }
    void end() { *this = Socket(); }

    static constexpr int max_wait = 20000; /* ms; then the other side counts as lost */

    /* Lets connecting and sending fail after max_wait. */
    void limit_waiting();

    bool send_all(std::string_view bytes);

  private:
    int descriptor_;
};

std::thread quiet_thread(std::function<void()> work);

/* How to reach the analyser. */
struct Address {
    char host[256] = "";
    int port = 0; /* 0: no analyser */
    std::uint64_t password = 0;
};

Address address_of_host();

class Server {
  public:
    /* The thread calls on_deadlock after it has reported a deadlock. */
    Server(int size, std::chrono::duration<double> timeout, bool finds_deadlocks,
           Findings &findings, Recorder &recorder, std::function<void()> on_deadlock)
        : analyser_(size, timeout, findings, recorder), finds_deadlocks_(finds_deadlocks),
          on_deadlock_(std::move(on_deadlock))
    {
    }

    ~Server() { stop(); }

    /* The process takes no part. Before start(). */
    void exclude(int rank) { analyser_.lost(rank); }

    /* Starts to listen on the loopback interface or on all. False on failure. */
    bool start(bool is_one_host, Address &address);

    void find_unreceived();

    /* Waits until all processes have ended or the timeout, then makes the final checks. */
    void finish(std::chrono::duration<double> longest);
    void stop();

    /* Answers the processes that have ended. After stop(), when the report is written. */
    void dismiss();

  private:
    struct Peer {
        Socket socket;
        int rank = -1;
        std::string input;
        bool has_ended = false; /* and waits until the report is written */
    };

    /* Descriptors for all processes, beside those that the program has. */
    bool raise_limit() const;

    bool watch(int descriptor) const;
    void run();

    /* Looks for cycles and deadlocks from time to time. True if there is a new deadlock. */
    bool search();
    void accept();
    void read(Peer &peer);

    /* False for a foreign or broken connection. */
    bool take(Peer &peer);

    std::mutex lock_;
    std::condition_variable ended_;
    Analyser analyser_;
    const bool finds_deadlocks_;
    std::function<void()> on_deadlock_;
    Socket listener_;
    std::uint64_t password_ = 0;
    Socket events_;                       /* of epoll */
    Socket wake_;                         /* readable when the thread must stop */
    std::unordered_map<int, Peer> peers_; /* by descriptor */
    std::chrono::steady_clock::time_point next_search_{};
    std::atomic<bool> stops_{false};
    std::thread thread_;
};

/* Precedes the fields of each event. */
struct Head {
    std::uint32_t size = 0; /* bytes of the fields */
    Event event{};
    bool wants_answer = false;

    template <typename Visit>
    void each(Visit &&visit)
    {
        visit(size), visit(event), visit(wants_answer);
    }

    static constexpr std::size_t bytes = sizeof size + sizeof event + sizeof wants_answer;
};

/* Connection of a process to the analyser. Thread-safe. */
class Client {
  public:
    /* Connects as a rank of MPI_COMM_WORLD. False on failure. */
    bool connect(const Address &address, int rank);

    bool is_up() const { return is_up_.load(std::memory_order_relaxed); }

    /* Sends an event. With wants_answer: returns when the analyser has processed it and all earlier
     * ones, and printed its findings; false if it does not answer. Otherwise flush() sends it. */
    template <typename Fields>
    bool report(Event event, const Fields &fields, bool wants_answer)
    {
        if (!is_up())
            return false;
        const std::lock_guard<std::mutex> guard(lock_);
        const std::size_t begin = output_.size();
        Writer(output_).put(Head{0, event, wants_answer}, fields);
        return close_event(begin, wants_answer);
    }

    bool report(Event event, bool wants_answer) { return report(event, NoFields(), wants_answer); }

    void flush();
    void end();

  private:
    struct NoFields {
        template <typename Visit>
        void each(Visit &&)
        {
        }
    };

    /* The event is in the output from there on. */
    bool close_event(std::size_t begin, bool wants_answer);
    void send();

    bool is_answered();

    std::mutex lock_;
    Socket socket_;
    std::string output_;
    std::atomic<bool> is_up_{false};
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_CONNECTION_HPP_INCLUDED */
