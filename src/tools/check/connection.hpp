/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* How events get to the analyser: by TCP, to a thread in the process of rank 0. That works while
 * every process is blocked in MPI, needs no communicator and no thread support of the library, and
 * changes nothing of what the program sees of MPI. */

#ifndef TOOLS_CHECK_CONNECTION_HPP_INCLUDED
#define TOOLS_CHECK_CONNECTION_HPP_INCLUDED

#include "analyser.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tools::check {

class Socket {
  public:
    explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
    Socket(Socket &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Socket &operator=(Socket &&other) noexcept;
    ~Socket();
    int descriptor() const { return descriptor_; }
    bool is_open() const { return descriptor_ >= 0; }
    void end() { *this = Socket(); }

    bool send_all(std::string_view bytes);

  private:
    int descriptor_;
};

/* A thread that takes none of the program's signals. */
std::thread quiet_thread(std::function<void()> work);

/* What a process must know to reach the analyser. */
struct Address {
    char host[256] = "";
    int port = 0; /* 0: there is no analyser */
    std::uint64_t password = 0;
};

/* With the name of this host. */
Address address_of_host();

/* The analyser and its thread. */
class Server {
  public:
    /* on_deadlock is called by the thread after a deadlock was reported. */
    Server(int size, std::chrono::duration<double> timeout, bool finds_deadlocks,
           Findings &findings, std::function<void()> on_deadlock)
        : analyser_(size, timeout, findings), finds_deadlocks_(finds_deadlocks),
          on_deadlock_(std::move(on_deadlock))
    {
    }

    ~Server() { stop(); }

    /* Begins to listen, to processes of this host only or of others as well. False if that cannot
     * be. */
    bool start(bool is_one_host, Address &address);

    /* Waits until all processes have ended or the time is over, and looks at what is left. */
    void finish(std::chrono::duration<double> longest);
    void stop();

  private:
    struct Peer {
        Socket socket;
        int rank = -1;
        std::string input;
    };

    void run();
    void read(Peer &peer);

    /* False for what is no process of the job. */
    bool take(Peer &peer);

    std::mutex lock_;
    std::condition_variable ended_;
    Analyser analyser_;
    const bool finds_deadlocks_;
    std::function<void()> on_deadlock_;
    Socket listener_;
    std::uint64_t password_ = 0;
    std::vector<Peer> peers_;
    std::atomic<bool> stops_{false};
    std::thread thread_;
};

/* A process' way to the analyser. Any number of threads. */
class Client {
  public:
    /* Of a process with that rank in MPI_COMM_WORLD. False if the analyser cannot be reached. */
    bool connect(const Address &address, int rank);

    bool is_up() const { return is_up_.load(std::memory_order_relaxed); }

    /* With an answer: comes back when the analyser has looked at the event and all before it, and
     * has printed what it found. Without: flush() will send it. */
    template <typename Fields>
    void tell(Event event, Fields fields, bool wants_answer)
    {
        if (!is_up())
            return;
        Writer writer;
        fields.each(Put(writer));
        put(event, writer.take(), wants_answer);
    }

    void tell(Event event, bool wants_answer) { put(event, {}, wants_answer); }

    void flush();

  private:
    static constexpr int longest_wait = 20000; /* ms; an analyser that does not answer is gone */

    void put(Event event, const std::string &fields, bool wants_answer);
    void send();

    bool is_answered();
    void end();

    std::mutex lock_;
    Socket socket_;
    std::string output_;
    std::atomic<bool> is_up_{false};
};

}  // namespace tools::check

#endif /* TOOLS_CHECK_CONNECTION_HPP_INCLUDED */
