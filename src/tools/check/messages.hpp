/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Messages, which the analyser compares on both sides. */

#ifndef TOOLS_CHECK_MESSAGES_HPP_INCLUDED
#define TOOLS_CHECK_MESSAGES_HPP_INCLUDED

#include "local_process.hpp"
#include "waiting.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace qmpi::check {

/* One end of a message, by the call's arguments. */
struct Message {
    bool exists = false;
    const void *address = nullptr;
    MPI_Count count = 0;
    MPI_Datatype datatype = MPI_DATATYPE_NULL;
    int peer = MPI_PROC_NULL;
    int tag = 0;
};

/* An operation from its start until the program knows that it is complete. */
struct Pending {
    Position position;
    PendingMemory::Key key = 0;
    std::vector<Range> ranges;
    SharedCommunicator communicator;
    Message send, receive;
    std::uint64_t number = 0; /* of the receive, if the analyser knows it */
    bool is_certain = false;  /* the analyser knows which message it gets */
    bool is_cancelled = false;
    bool is_active = true;
    std::uint64_t checksum = 0;
    std::vector<Wait> waits; /* what completes it */
};

/* Thread-safe. */
class Messages {
  public:
    explicit Messages(LocalProcess &process) : process_(process) {}

    /* Start of an operation: informs the analyser, notes what it waits for. */
    void begin(Pending &pending);

    /* A receive that is waited for and cannot be cancelled will get its message. */
    void expect(Pending &pending);

    /* The receive is complete; status is nullptr if it was cancelled. */
    void received(Pending &pending, const MPI_Status *status);

    void failed(const Pending &pending, int error_code);

    /* MPI_Mprobe matched a message. The size of its receive buffer is unknown. */
    void matched(const Pending &probe, const MPI_Status &status);

    std::vector<Wait> waits_of_probe(const Pending &probe, int source, int tag);

  private:
    void begin_send(Pending &pending, bool wants_answer);
    void begin_receive(Pending &pending, bool wants_answer);

    LocalProcess &process_;
    std::atomic<std::uint64_t> number_of_receives_{0};
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_MESSAGES_HPP_INCLUDED */
