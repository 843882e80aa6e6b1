/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Events that processes send to the analyser, see analyser.hpp. */

#ifndef TOOLS_CHECK_EVENTS_HPP_INCLUDED
#define TOOLS_CHECK_EVENTS_HPP_INCLUDED

#include "../common/wire.hpp"
#include "signature.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace qmpi::check {

enum class Event : std::uint8_t {
    site,
    found,
    collective,
    send,
    receive,
    received,
    matched,
    partitioned,
    partitioned_started,
    partitioned_ready, /* a send: all partitions are marked */
    partitioned_freed,
    joining, /* MPI_Intercomm_create, of a leader */
    await,
    truncated,
    unmatched, /* a communicator was freed before the process had received all messages */
    completed,
    probe,
    window,
    access,
    accesses_complete,
    exposure,
    no_puts, /* a fence after which the process does not expect any */
    blocked,
    unblocked,
    /* The process makes no other calls than tests that find nothing, for a number of milliseconds; no
     * position: it has stopped */
    polling,
    distrust,
    exclude,
    freed, /* a persistent collective operation */
    forgotten,
    cancelling, /* MPI_Cancel of a receive, which may still get a message */
    silent,     /* will not communicate again */
    finalized,  /* answered when the report is written */
    exited,     /* the same of a process that is not in the world of rank 0; answered at once */
    left,       /* ends without MPI_Finalize; answered when rank 0 ends, too, or soon */
    multiple,   /* several threads of the process can be in MPI at the same time */
    thread,     /* another thread than before communicates */
    returned,   /* a call of this thread, if there are several */
    order_lost,
    members,  /* are all of these compared? 1 or 0 */
    world,    /* rank of its first process; -1 if it has not joined */
    statement /* at the end, of processes that are not in the world of rank 0 */
};

/* Objects that members of a communicator make on it together, besides communicators. */
enum class Shared : std::uint64_t { window, persistent_collective, partitioned, file };

/* The same in all members, and unique: the analyser keeps operations of all kinds of objects in one
 * table. number: of the objects of that kind on the communicator */
inline std::uint64_t id_of(Shared kind, std::uint64_t communicator, std::uint64_t number)
{
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u; /* spreads the bits */
    return ((communicator + number) * odd + static_cast<std::uint64_t>(kind) + 1) * odd;
}

/* Precedes the fields of each event. */
struct Head {
    std::uint32_t size = 0; /* bytes of the fields */
    Event event{};
    bool wants_answer = false;

    auto fields() { return std::tie(size, event, wants_answer); }

    static constexpr std::size_t bytes = sizeof size + sizeof event + sizeof wants_answer;
};

/* A call: its function, and its process's number for the call site. */
struct Position {
    int function = 0;
    std::uint32_t site = 0;

    bool is_blocking() const { return qmpi::form_of(function) == qmpi::form::blocking; }

    auto fields() { return std::tie(function, site); }
};

struct SiteEvent {
    std::uint32_t site = 0;
    std::string module; /* see CodeLocation */
    std::uint64_t offset = 0;

    auto fields() { return std::tie(site, module, offset); }
};

struct FoundEvent {
    std::uint8_t kind = 0;
    Position position;
    std::string text;
    std::vector<Position> others; /* calls of the process that the text names */

    auto fields() { return std::tie(kind, position, text, others); }
};

/* Data sent to or received from others in a collective operation. */
struct Side {
    int begin = 0, end = INT_MAX;  /* ranks of the others, see Participants */
    std::vector<int> neighbours;   /* if not all of these */
    std::vector<Signature> blocks; /* none, one for all peers, or one for each */

    const Signature *block(int rank) const
    {
        if (blocks.empty() || rank < begin || rank >= end)
            return nullptr;
        auto i = static_cast<std::size_t>(rank - begin);
        if (!neighbours.empty()) {
            const auto found = std::find(neighbours.begin(), neighbours.end(), rank);
            if (found == neighbours.end())
                return nullptr;
            i = static_cast<std::size_t>(found - neighbours.begin());
        }
        return blocks.size() == 1 ? &blocks[0] : i < blocks.size() ? &blocks[i] : nullptr;
    }

    auto fields() { return std::tie(begin, end, neighbours, blocks); }
};

/* Ranks of the members of a communicator: evenly spaced, as most are, or a list. */
struct Members {
    int first = 0;
    int step = 1;
    std::vector<int> list; /* if not evenly spaced */

    static Members of(std::vector<int> ranks)
    {
        Members members;
        members.first = ranks.empty() ? 0 : ranks[0];
        members.step = ranks.size() < 2 ? 1 : ranks[1] - ranks[0];
        for (std::size_t i = 1; i < ranks.size(); i++) {
            if (ranks[i] - ranks[i - 1] != members.step) {
                members.list = std::move(ranks);
                break;
            }
        }
        return members;
    }

    std::vector<int> ranks(int size) const
    {
        if (!list.empty())
            return list;
        std::vector<int> ranks(static_cast<std::size_t>(size), first);
        for (std::size_t i = 1; i < ranks.size(); i++)
            ranks[i] = ranks[i - 1] + step;
        return ranks;
    }

    auto fields() { return std::tie(first, step, list); }
};

struct MembersEvent {
    int size = 0;
    Members members;

    auto fields() { return std::tie(size, members); }
};

/* The following events of the process are those of this thread. */
struct ThreadEvent {
    std::uint32_t number = 0; /* from 0, which needs no event at first */

    auto fields() { return std::tie(number); }
};

struct WorldEvent {
    std::string name; /* see MPIX_Get_process_world */
    int first = -1;   /* if the process tells it: rank of the first process */

    auto fields() { return std::tie(name, first); }
};

struct StatementEvent {
    std::string bytes; /* see Statement::write() */

    auto fields() { return std::tie(bytes); }
};

struct CollectiveEvent {
    Position position;
    std::uint64_t communicator = 0; /* or object, see CollectiveObject */
    std::uint64_t made_on = 0;      /* communicator of the object */
    std::uint64_t number = 0;       /* earlier collective operations on it */
    bool is_started = true;         /* else made, to be started later */
    bool is_local = false;          /* a fence that need not wait for other processes */
    int size = 0;                   /* of the communicator */
    int rank = 0;                   /* see Participants, as are the next two */
    int second = 0;
    int root = MPI_UNDEFINED;
    std::string name; /* with number 0 only, as are the members */
    Members members;
    std::uint64_t operation = 0; /* value of the handle if predefined, or one of these */
    std::uint64_t agreed = 0; /* arguments that must be the same, see Agreement and AgreedGroup */
    Signature same;           /* must be equal everywhere */
    Side sent, received;
    /* Ranks in MPI_COMM_WORLD of the process and of those whose data it gets, which the function and the
     * root restrict further; empty: all members. */
    std::vector<int> sources;

    /* Of the groups of an intercommunicator. */
    bool is_in_second(int rank) const { return second > 0 && rank >= second; }

    auto fields()
    {
        return std::tie(position, communicator, made_on, number, is_started, is_local, size, rank,
                        second, root, name, members, operation, agreed, same, sent, received,
                        sources);
    }

    static constexpr std::uint64_t commutative = 1,
                                   not_commutative = 2; /* operations of the program */
};

/* MPI_Comm_create: all members of a group that is not empty must pass it (MPI 4.0, 7.4.2). */
struct AgreedGroup {
    static constexpr int bits = 20, most_ranks = (1 << bits) - 1;

    std::uint64_t hash = 0;        /* 24 bits */
    int lowest = -1, highest = -1; /* ranks of its members in MPI_COMM_WORLD; -1: none */

    /* 0 for a group of ranks that are too high */
    std::uint64_t packed() const
    {
        const auto number = [](int rank) { return static_cast<std::uint64_t>(rank + 1); };
        return highest >= most_ranks
            ? 0
            : (hash & 0xffffff) << 2 * bits | number(lowest) << bits | number(highest);
    }
    static AgreedGroup unpacked(std::uint64_t agreed)
    {
        const auto rank = [](std::uint64_t number) {
            return static_cast<int>(number & most_ranks) - 1;
        };
        return {agreed >> 2 * bits, rank(agreed >> bits), rank(agreed)};
    }

    bool has_bound(int rank) const { return rank == lowest || rank == highest; }
};

/* Start of a send. Ranks of messages are world ranks. */
struct SendEvent {
    Position position;
    std::uint64_t communicator = 0;
    std::uint64_t number = 0; /* of the operation in its process */
    int destination = 0;
    int tag = 0;
    Signature signature;

    auto fields() { return std::tie(position, communicator, number, destination, tag, signature); }
};

struct ReceiveEvent {
    Position position;
    std::uint64_t communicator = 0;
    std::uint64_t number = 0; /* of the operation in its process */
    int source = MPI_ANY_SOURCE;
    int tag = MPI_ANY_TAG;
    bool is_certain = false;  /* can only get a message of that source and tag */
    bool is_from_any = false; /* MPI_ANY_SOURCE, or what a probe with it has found */
    bool has_any_tag = false; /* the same of MPI_ANY_TAG */
    Signature signature;

    auto fields()
    {
        return std::tie(position, communicator, number, source, tag, is_certain, is_from_any,
                        has_any_tag, signature);
    }
};

/* Message that a receive got, or is certain to get. */
struct ReceivedEvent {
    std::uint64_t communicator = 0;
    std::uint64_t number = 0;
    int source = 0;
    int tag = 0;
    bool is_cancelled = false;

    auto fields() { return std::tie(communicator, number, source, tag, is_cancelled); }
};

/* The process receives the message of a matched probe. */
struct MatchedEvent {
    Position position;
    std::uint64_t number = 0; /* of the probe's ReceiveEvent */
    Signature signature;

    auto fields() { return std::tie(position, number, signature); }
};

/* A partitioned send or receive was made. They match in the order in which they are made. */
struct PartitionedEvent {
    Position position;
    std::uint64_t communicator = 0;
    std::uint64_t number = 0; /* of the operation in its process */
    bool is_send = false;
    int peer = 0;
    int tag = 0;
    Signature signature; /* of all partitions */

    auto fields()
    {
        return std::tie(position, communicator, number, is_send, peer, tag, signature);
    }
};

/* The process joins its group with that of another leader. */
struct JoiningEvent {
    std::uint64_t communicator = 0;
    int leader = 0; /* in MPI_COMM_WORLD */
    int tag = 0;

    auto fields() { return std::tie(communicator, leader, tag); }
};

/* An operation of a process: a send or receive, or a collective operation. */
struct OperationKey {
    bool is_collective = false;
    std::uint64_t communicator = 0; /* 0: the number is enough */
    std::uint64_t number = 0;

    auto fields() { return std::tie(is_collective, communicator, number); }
};

/* A call that waits for an operation, or that found its message too long for the buffer. */
struct OperationEvent {
    Position position;
    OperationKey operation;

    auto fields() { return std::tie(position, operation); }
};

/* A probe that waits for a message, or one that has found it. */
struct ProbeEvent {
    Position position;
    std::uint64_t communicator = 0;
    int source = MPI_ANY_SOURCE;
    int tag = MPI_ANY_TAG;
    bool has_found = false;

    auto fields() { return std::tie(position, communicator, source, tag, has_found); }
};

/* A window, the same number in all members. */
struct WindowEvent {
    std::uint64_t window = 0;
    std::int64_t unit = 1;  /* bytes, of displacements at this process */
    std::int64_t size = -1; /* bytes; -1: memory is attached */

    auto fields() { return std::tie(window, unit, size); }
};

/* A one-sided access in an epoch of a fence or of MPI_Win_start, or under a lock. */
struct AccessEvent {
    enum class Kind : std::uint8_t {
        get,
        put,
        accumulate,
        fetch /* without a change: MPI_NO_OP */
    };
    enum class Epoch : std::uint8_t { fence, started, shared, exclusive /* locks */ };

    Position position;
    std::uint64_t window = 0;
    int target = 0; /* in MPI_COMM_WORLD */
    Kind kind = Kind::get;
    Epoch epoch = Epoch::fence;
    std::uint64_t number = 0;    /* of earlier fences, or of earlier MPI_Win_start for the target */
    std::uint64_t operation = 0; /* of an accumulate; 0: not compared */
    std::uint16_t basic = 0;     /* basic type of an accumulate or fetch; 0: not compared */
    std::int64_t displacement = 0;
    std::vector<std::int64_t> blocks; /* begin in bytes from there, length, begin, ... */

    auto fields()
    {
        return std::tie(position, window, target, kind, epoch, number, operation, basic,
                        displacement, blocks);
    }
};

/* Accesses of these kinds to the same memory do not conflict (MPI 4.0, 12.7). */
constexpr bool may_overlap(AccessEvent::Kind a, AccessEvent::Kind b)
{
    using Kind = AccessEvent::Kind;
    if (a == Kind::get || b == Kind::get)
        return (a == Kind::get || a == Kind::fetch) && (b == Kind::get || b == Kind::fetch);
    return a != Kind::put && b != Kind::put;
}

/* The process's accesses under a lock are complete at the target, or at all: -1. */
struct AccessesCompleteEvent {
    std::uint64_t window = 0;
    int target = -1;
    bool are_reads = false; /* only those that give the process a value */

    auto fields() { return std::tie(window, target, are_reads); }
};

/* MPI_Win_post: the process exposes its memory to these processes of MPI_COMM_WORLD. */
struct ExposureEvent {
    Position position;
    std::uint64_t window = 0;
    bool has_puts = true; /* false with MPI_MODE_NOPUT */
    std::vector<int> origins;

    auto fields() { return std::tie(position, window, has_puts, origins); }
};

/* MPI_Win_fence with MPI_MODE_NOPUT */
struct NoPutsEvent {
    Position position;
    std::uint64_t window = 0;
    std::uint64_t number = 0; /* of fences, see AccessEvent */

    auto fields() { return std::tie(position, window, number); }
};

/* The process has used something that the analyser does not follow, and that can order what the process
 * does from now on after what others have done. */
struct OrderLostEvent {
    std::string what;
    bool is_of_all = false; /* other processes may learn of it without such an event */

    auto fields() { return std::tie(what, is_of_all); }
};

/* Event::exclude: from here the order of the process's calls on it is unknown; Event::freed. */
struct CommunicatorEvent {
    std::uint64_t communicator = 0; /* or persistent operation */
    std::string name;               /* with Event::exclude; may be empty */

    auto fields() { return std::tie(communicator, name); }
};

/* Kinds of events that complete an operation. */
enum class Completion : std::uint8_t {
    unknown,
    start,        /* of the same collective operation, by all others */
    receive,      /* by the peer */
    buffered,     /* the same of a buffered send, for MPI_Buffer_detach */
    message,      /* of the peer */
    partitioned,  /* start of the peer's side of a partitioned operation */
    joining,      /* MPI_Intercomm_create of the peer, the other leader */
    ready,        /* MPI_Pready of the process itself, for that number of partitions */
    synchronized, /* a window, by any other process, or the one with that rank in MPI_COMM_WORLD */
    end           /* MPI_Session_finalize of the other processes; number: of all in the job */
};

/* One thing that a blocked process waits for. */
struct Wait {
    Completion kind = Completion::unknown;
    std::string what;
    std::vector<int> ranks; /* candidates; empty: unknown, of a collective operation: all members */
    std::uint64_t communicator = 0;
    std::uint64_t number = 0; /* of the operation, receive or send; 0 for a probe */
    int tag = MPI_ANY_TAG;

    auto fields() { return std::tie(kind, what, ranks, communicator, number, tag); }
};

/* A thread has been in one call for some time. */
struct BlockedThread {
    Position position;
    bool needs_all = true; /* all of the following, or any one */
    std::vector<Wait> waits;

    auto fields() { return std::tie(position, needs_all, waits); }
};

/* All threads of a process have been in one call each for some time, or wait for one another. */
struct BlockedEvent {
    std::vector<BlockedThread> threads; /* those in MPI */

    auto fields() { return std::tie(threads); }
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_EVENTS_HPP_INCLUDED */
