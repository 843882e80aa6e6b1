/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Messages, which the analyser compares on both sides. */

#ifndef TOOLS_CHECK_MESSAGES_HPP_INCLUDED
#define TOOLS_CHECK_MESSAGES_HPP_INCLUDED

#include "collective_object.hpp"
#include "local_process.hpp"
#include "partitions.hpp"
#include "waiting.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
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

/* Sends that have the same request handle, so that it is unknown which of them a call completes. When
 * as many calls have waited for the handle as it has sends, all of them are complete. */
struct SharedHandle {
    static constexpr std::size_t many = 64; /* older sends count as complete if any was awaited */

    std::vector<std::uint64_t> sends; /* numbers; 0: known to be complete */
    std::size_t awaited = 0;
    std::size_t ended = 0;
};

/* An operation from its start until the program knows that it is complete. */
struct Pending {
    Position position;
    PendingMemory::Key key = 0;
    Ranges ranges;
    SharedCommunicator communicator;
    Message send, receive;
    std::uint64_t number = 0;         /* of the receive, if the analyser knows it */
    std::uint64_t send_number = 0;    /* the same of the send */
    std::uint64_t matched_number = 0; /* the same of a matched message's receive */
    bool is_awaited = false;          /* the analyser knows that the program waits for it */
    std::shared_ptr<SharedHandle> shared;
    bool is_certain = false; /* the analyser knows which message it gets */
    bool is_cancelled = false;
    bool is_active = true; /* until the program knows that it is complete */
    bool uses_memory = false;
    std::uint64_t checksum = 0;
    Expectations expected; /* what completes it */
    /* Of MPI_Rget: the process then has read what it has asked for. */
    std::optional<AccessesCompleteEvent> reads;
    MPI_Win window = MPI_WIN_NULL; /* of a one-sided operation, as is the target */
    int target = MPI_PROC_NULL;
    bool is_partitioned = false;
    std::shared_ptr<Partitions> partitions; /* null if there are none, or with MPI_PROC_NULL */
    std::shared_ptr<CollectiveObject> collective;

    /* Partitions that the analyser knows. */
    bool receives_partitions() const
    {
        return partitions != nullptr && !partitions->are_sent && partitions->number != 0;
    }
};

/* Thread-safe. */
class Messages {
  public:
    explicit Messages(LocalProcess &process) : process_(process) {}

    /* Start of an operation: informs the analyser, notes what it waits for. */
    void begin(Pending &pending);

    /* Start of a persistent collective operation. */
    void begin(Pending &pending, CollectiveObject &collective);

    /* A partitioned operation was made: notes what it waits for when it is started. */
    void partitioned(Pending &pending, const Message &message);

    /* The partitioned operation is started, ready, or freed. */
    void report(Event event, const Partitions &partitions);

    /* The program knows of one more partition that it has arrived. */
    void arrived(Pending &pending);

    /* The call waits for the operation. A receive that cannot be cancelled will get its message. */
    void expect(Pending &pending, const Position &position);

    /* The operation is complete. */
    void completed(Pending &pending, const MPI_Status *status);

    /* The request was freed: the program never learns that the operation is complete. */
    void forgotten(Pending &pending);

    /* Both operations have the same request handle. */
    void share(Pending &one, Pending &other);

    /* Each operation with this handle is complete; the program has yet to wait for it. */
    void completed(SharedHandle &shared);

    void failed(const Pending &pending, int error_code);

    /* Reports a buffered send that has failed because it has no buffer. */
    void find_no_buffer(const Pending &pending, int error_code);

    /* MPI_Buffer_detach waits for the messages of buffered sends. */
    Expectations buffered();
    void delivered();

    /* MPI_Mprobe matched a message. */
    void matched(const Pending &probe, int source, int tag, const MPI_Status &status,
                 MPI_Message message);

    /* The process is about to receive such a message. Returns the number of the receive, 0 if the
     * analyser does not know it. */
    std::uint64_t receive_matched(const Position &position, MPI_Message message, MPI_Count count,
                                  MPI_Datatype datatype);

    /* A probe is about to wait. */
    Expectations expected_by_probe(const Pending &probe, int source, int tag);

    /* A probe that does not wait has found a message. */
    void probed(const Pending &probe, const MPI_Status &status);

    /* A probe for source and tag has found a message, which the process has yet to receive. */
    void keep_probed(const Pending &probe, int source, int tag, const MPI_Status &status);

    /* At the end: reports matched messages that the process has not received. */
    void find_unreceived();

  private:
    struct Matched {
        Position position; /* of the probe */
        std::uint64_t number;
    };

    /* Message that a probe with MPI_ANY_SOURCE has found last. */
    struct Probed {
        std::uint64_t communicator;
        int source;
        int tag;
        bool has_any_tag;
    };

    void use(const Pending &pending, Use::Kind kind, const Message &message);
    void take_probed(ReceiveEvent &event, const Message &receive);
    void begin_send(Pending &pending);
    void begin_receive(Pending &pending);
    void report_probe(const Pending &probe, int source, int tag, bool has_found);
    void await(const Position &position, std::uint64_t number);
    void await_shared(SharedHandle &shared, const Position &position);
    void end_shared(SharedHandle &shared);
    void release(std::uint64_t &send);
    /* reason: to distrust the process if the receive has a wildcard */
    void make_certain(Pending &pending, const char *reason);
    void will_get(const Pending &pending, int source, int tag);
    void received(Pending &pending, const MPI_Status &status);

    LocalProcess &process_;
    std::atomic<std::uint64_t> number_of_operations_{0};
    std::mutex lock_; /* of shared handles, and of the following */
    std::unordered_map<MPI_Message, Matched> matched_;
    std::optional<Probed> probed_;
    static constexpr std::size_t most_buffered = 256;
    std::deque<Expected> buffered_; /* last buffered sends */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_MESSAGES_HPP_INCLUDED */
