/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Messages, which the analyser compares with what becomes of them on the other side. */

#ifndef TOOLS_CHECK_MESSAGES_HPP_INCLUDED
#define TOOLS_CHECK_MESSAGES_HPP_INCLUDED

#include "local_process.hpp"
#include "waiting.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace tools::check {

/* One end of a message, as a call describes it. */
struct Message {
    bool is_there = false;
    const void *address = nullptr;
    MPI_Count count = 0;
    MPI_Datatype datatype = MPI_DATATYPE_NULL;
    int peer = MPI_PROC_NULL;
    int tag = 0;
};

/* An operation from its beginning until the program knows that it is complete. */
struct Pending {
    Place place;
    PendingMemory::Key key = 0;
    std::vector<Range> ranges;
    SharedCommunicator communicator;
    Message send, receive;
    std::uint64_t number = 0; /* of the receive, if it was told to the analyser */
    bool is_certain = false;  /* the analyser knows what it will get */
    bool is_cancelled = false;
    bool is_active = true;
    std::uint64_t checksum = 0;
    std::vector<Wait> waits; /* what ends it */
};

/* Any number of threads. */
class Messages {
  public:
    explicit Messages(LocalProcess &process) : process_(process) {}

    /* The operation begins: tells the analyser, and notes what there will be to wait for. */
    void begin(Pending &pending);

    /* A receive that is waited for, and that nobody can cancel, will get what it asked for. */
    void expect(Pending &pending);

    /* It has got a message, or nothing if it was cancelled. */
    void received(Pending &pending, const MPI_Status *status);

    void failed(const Pending &pending, int error_code);

    /* MPI_Mprobe has taken a message away, like a receive. What that has room for is not known. */
    void taken(const Pending &probe, const MPI_Status &status);

    /* What a probe waits for. */
    std::vector<Wait> waits_of_probe(const Pending &probe, int source, int tag);

  private:
    void begin_send(Pending &pending, bool wants_answer);
    void begin_receive(Pending &pending, bool wants_answer);

    LocalProcess &process_;
    std::atomic<std::uint64_t> number_of_receives_{0};
};

}  // namespace tools::check

#endif /* TOOLS_CHECK_MESSAGES_HPP_INCLUDED */
