/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Transport of events to the analyser: TCP along a tree of hosts. The first process of each host has
 * a hub, a thread to which the processes of the host and the hubs of its children connect: the Server
 * of rank 0 is the root, Relays are the other hubs. It works while every process is blocked in MPI,
 * needs no communicator and no thread support of the library, and does not change what the program
 * sees.
 *
 * A connection begins with the hub's password. Frames follow, each with events of one process.
 * Answers go back along the path of the process's frames. Ranks are those in MPI_COMM_WORLD; spawned
 * processes follow, in the order in which their worlds join: the hub of each connects to the root. */

#ifndef TOOLS_CHECK_HUB_HPP_INCLUDED
#define TOOLS_CHECK_HUB_HPP_INCLUDED

#include "socket.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>

namespace qmpi::check {

/* How to reach a hub. */
struct Address {
    std::string host;
    int port = 0;
    std::uint64_t password = 0;
};

/* For other processes, without spaces: "host:port:password" */
std::string text_of(const Address &hub);
Address address_of(const std::string &text);

/* A connection that may send frames. Throws std::runtime_error. */
Socket connection_to(const Address &hub);

/* Precedes whole events of a process. A frame without events asks for an answer, to make sure that
 * the path is complete. */
struct Frame {
    static constexpr std::uint32_t lost = UINT32_MAX;
    static constexpr std::int32_t newcomers = -1;

    std::uint32_t size = 0; /* bytes of the events; lost: the process is gone */
    std::int32_t rank = 0;  /* newcomers: a World follows, which joins */

    auto fields() { return std::tie(size, rank); }

    static constexpr std::size_t bytes = sizeof size + sizeof rank;
};

struct Answer {
    std::int32_t rank = 0;  /* ~rank in its last answer */
    std::int32_t value = 0; /* of an event that asks for one; of newcomers: the first one's rank */

    auto fields() { return std::tie(rank, value); }

    static constexpr std::size_t bytes = sizeof rank + sizeof value;
};

/* Processes that have been started together. */
struct World {
    std::string name; /* see MPIX_Get_process_world */
    std::int32_t size = 0;

    auto fields() { return std::tie(name, size); }
};

/* The thread calls the private members that a derived class defines; its destructor calls stop(). */
class Hub {
  public:
    /* size: ranks of its processes are below */
    explicit Hub(int size) : size_(size) {}
    Hub(const Hub &) = delete;
    Hub &operator=(const Hub &) = delete;
    virtual ~Hub() = default;

    /* Connections wait until start(). connections: how many there will be. Throws
     * std::runtime_error. */
    Address listen(bool is_on_loopback, int connections);

    void start();

    /* Takes pending input first. */
    void stop();

    /* Stops and ends all connections. */
    void close();

  protected:
    /* Sends the answer towards its process. In the thread, or after stop(). */
    void answer(Answer answer);

    /* The rest in the thread only. */

    bool has_processes() const { return !routes_.empty(); }
    void watch(int descriptor) const;
    void disconnect();

  private:
    struct Peer {
        Socket socket;
        std::string input;
        bool is_known = false; /* has sent the password */
    };

    /* Events of a process; throws if they are malformed. */
    virtual void take(int rank, std::string_view events) = 0;

    /* The process has ended or lost its connection. */
    virtual void lost(int rank) = 0;

    /* Of the root: makes room for the world; returns its first rank. Throws if it cannot. */
    virtual int add(const World &world);

    /* All input that was ready has been taken; at least ten times in a second. */
    virtual void idle() = 0;

    /* Another watched descriptor is ready. */
    virtual void ready() {}

    void run();
    bool handle(int descriptor);
    void accept();
    void read(int descriptor, Peer &peer);

    /* False for a foreign or broken connection. */
    bool take(int descriptor, Peer &peer);
    void take_newcomers(int descriptor, std::string_view input);
    void remove(int descriptor);

    int size_;
    Socket listener_;
    std::uint64_t password_ = 0;
    Socket events_;                       /* of epoll */
    Socket wake_;                         /* readable when the thread must stop */
    std::unordered_map<int, Peer> peers_; /* by descriptor */
    std::unordered_map<int, int> routes_; /* descriptors by rank */
    std::atomic<bool> stops_{false};
    std::thread thread_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_HUB_HPP_INCLUDED */
