/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Repeats the run with the messages and collective operations that it had, but no send completes
 * before its receive has started, and every collective operation waits for all members, those of
 * neighborhoods for the sources of their data. The standard allows such a run, so processes that wait
 * for each other in it are an error of the program even if the library's buffers have hidden it.
 *
 * Each process is a queue of steps in its own order. A step that must wait ends the queue's
 * progress until another process makes the step that it waits for. When a cycle was found, its
 * sends complete as in the run, which is again a run that the standard allows.
 *
 * So do all sends of a process in which several threads communicate: another of its threads could
 * make the call that a send waits for. There, a step that must wait holds up the later ones of its
 * thread, and those of calls that began when its own call had returned. Not thread-safe. */

#ifndef TOOLS_CHECK_REPLAY_HPP_INCLUDED
#define TOOLS_CHECK_REPLAY_HPP_INCLUDED

#include "accesses.hpp"
#include "clock.hpp"
#include "events.hpp"
#include "recorder.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qmpi::check {

/* One end of a message. Ranks are those of MPI_COMM_WORLD. */
struct End {
    Position position;
    std::uint64_t communicator = 0;
    int rank = 0; /* of the process that has this end */
    int peer = MPI_ANY_SOURCE;
    int tag = MPI_ANY_TAG;
    bool is_send = false;
    bool is_from_any = false; /* a receive, see ReceiveEvent */
    bool has_any_tag = false;
    bool needs_receive = false; /* a send that may wait for its receive */
    bool is_synchronous = false;
    bool is_ready = false;      /* a send whose receive must have started */
    bool is_probe = false;      /* a matched probe: holds the message until it is received */
    bool is_received = false;   /* the message of the probe */
    std::uint64_t sequence = 0; /* of all ends that were posted */
    std::uint64_t posted_time =
        0; /* of the process, known to who knows of the post; 0: not counted */

    SharedClock clock; /* of its process, when it was posted */
    SharedClock partner_clock;
    std::uint64_t time = 0; /* of the process, when it was posted */
    /* Of a receive from any process: who knows of this time knows that it has its message. */
    std::uint64_t end_time = UINT64_MAX;
    int partner_rank = MPI_ANY_SOURCE;
    int partner_tag = MPI_ANY_TAG;
    Position partner_position;
    std::weak_ptr<End> partner; /* the other end, once it is known */
    bool is_posted = false;     /* in the replay, as the following */
    bool is_partner_posted = false;
    bool is_released = false; /* completes as in the run */
    bool is_open = false;     /* posted, but not the partner: has a place in an inbox */
    std::list<std::shared_ptr<End>>::iterator place;

    /* World rank of the process that the message goes to. */
    int receiver() const { return is_send ? peer : rank; }
};

using SharedEnd = std::shared_ptr<End>;

using SharedRanks = std::shared_ptr<const std::vector<int>>;

/* Calls in the replay that wait for each other. */
struct Cycle {
    struct Call {
        int rank;
        Position position;
        bool needs_buffer; /* a send that may wait for its receive */
        bool may_pass;     /* a collective operation that may complete before all have started it */
    };

    std::vector<Call> calls;
    bool is_certain = false; /* none of them can complete, and the run has not gone further */
};

/* A receive from any process that could have got another message, too. */
struct Race {
    int rank;
    Position position;
    int sender; /* of the other message */
    Position other;
};

/* A ready send that may start before its receive. */
struct Unready {
    int rank;
    Position position;
    int receiver;
    Position receive;
};

/* Whose past the members of a collective operation know after it: that of those whose data they
 * get. */
enum class Flow : std::uint8_t { among_all, to_root, from_root, to_higher /* ranks */ };

class Replay {
  public:
    Replay(int size, bool finds_races)
        : finds_races_(finds_races), processes_(static_cast<std::size_t>(size))
    {
    }

    /* Processes after the others. */
    void add(int size) { processes_.resize(processes_.size() + static_cast<std::size_t>(size)); }

    /* ---- the run, in the order of each process ---- */

    SharedEnd send(int rank, const SendEvent &send);
    SharedEnd receive(int rank, const ReceiveEvent &receive);

    /* The send's message is the one that the receive gets. */
    void match(const SharedEnd &send, const SharedEnd &receive);

    void collective(int rank, const CollectiveEvent &event, const SharedRanks &members);

    void await(int rank, const OperationEvent &event);

    /* A request that nothing has waited for is complete: the program has asked for it. */
    void completed(int rank, const OperationKey &operation);
    void cancelled(int rank, std::uint64_t number);

    /* The program never learns that this one is complete. */
    void forgotten(int rank, std::uint64_t number);

    void probe(int rank, const ProbeEvent &event);

    /* The receive of a message that a probe has matched starts. number: of the probe */
    void receive_matched(int rank, std::uint64_t number);

    void change_thread(int rank, const ThreadEvent &event);

    /* The last call of the current thread. */
    void returned(int rank);

    void window(int rank, const WindowEvent &event)
    {
        can_order_unseen_ = true;
        accesses_.set_unit(event.window, rank, event.unit);
    }
    void exposure(int rank, const ExposureEvent &event) { accesses_.expose(rank, event); }
    void exclude_puts(int rank, const NoPutsEvent &event) { accesses_.exclude_puts(rank, event); }
    void access(int rank, AccessEvent event);
    void accesses_complete(int rank, const AccessesCompleteEvent &event);
    void order_lost(int rank, const OrderLostEvent &event);

    /* No more is known of the process. reason: for the report, "rank 3 ..." */
    void remove(int rank, const std::string &reason);

    /* No more is known of a communicator and of what was made on it, because of that process: operations
     * whose other side is unknown complete as in the run. */
    void exclude(int rank, const std::set<std::uint64_t> &objects, const std::string &reason);

    /* The order of its calls is unknown from now on: no cycle can include it. The report says so. */
    void leave_out(int rank, const std::string &reason);

    /* ---- results ---- */

    /* New cycles of processes that wait for each other. */
    std::vector<Cycle> find_cycles();

    bool is_in_certain_cycle(int rank) const
    {
        return processes_.at(static_cast<std::size_t>(rank)).is_in_certain_cycle;
    }

    bool has_threads(int rank) const
    {
        return processes_.at(static_cast<std::size_t>(rank)).has_threads;
    }

    /* The processes have ended. */
    void end_run();

    /* There is something for the next three. */
    bool has_results() const
    {
        return !races_.empty() || !unready_.empty() || !omissions_.empty() ||
            accesses_.has_results();
    }
    std::vector<Conflict> take_conflicts() { return accesses_.take_conflicts(); }
    std::vector<Race> take_races() { return std::exchange(races_, {}); }
    std::vector<Unready> take_unready() { return std::exchange(unready_, {}); }

    /* Of receives from any process and messages that no receive has got, nor can get. */
    void find_races_of_unreceived();

    /* New ones, each once for a process. */
    std::vector<Omission> take_omissions();

    /* For tests: steps that were looked at. */
    std::uint64_t work() const { return work_; }

  private:
    /* Steps of a process that are kept at most; then its sends complete as in the run, and at the
     * second number it is freed. */
    static constexpr std::size_t many_steps = 1024, most_steps = 65536;
    static constexpr int most_hops = 64; /* on the way to a send that holds up a process */

    /* A collective operation. */
    struct Meeting {
        std::uint64_t communicator = 0;
        std::uint64_t number = 0;
        int function = 0;
        SharedRanks members;
        std::multimap<int, int> waiting; /* by the one that each waits for, or all_members */
        int root = -1;                   /* known before the root arrives */
        std::map<int, std::vector<int>> sources; /* see CollectiveEvent; not empty */
        std::map<int, SharedClock> before;       /* what those that have arrived knew before it */
        SharedClock clock;                       /* of all of them whose past others know then */
        bool is_over = false;                    /* nobody waits for it */

        /* If the order of the members counts: what the first ones, which have all arrived, know after
         * it. */
        std::map<int, SharedClock> after;
        std::size_t joined = 0;

        /* The member cannot complete the operation before the other one has started it. */
        bool needs(int rank, int other) const;

        /* In the replay, the member does not complete it before these have started it: all members, or
         * the sources of a neighborhood collective. */
        const std::vector<int> &awaited_by(int rank) const;
        bool waits_for_all() const { return !qmpi::set::neighbourhood.contains(function); }

        /* The member arrives with this clock. */
        void join(int rank, const SharedClock &other);
        void join_lower();

        /* The clock that the member learns from the operation. */
        SharedClock clock_after(int rank) const;
    };

    using SharedMeeting = std::shared_ptr<Meeting>;

    static constexpr int all_members = -1, nobody = -2;

    struct Step {
        /* look: the program has asked; returned: see the function */
        enum class Kind : std::uint8_t { start, wait, look, returned } kind;
        bool is_released = false;
        bool loses_order = false;
        bool receives_matched = false; /* the message of the end, a probe */
        int awaited = nobody;          /* as its meeting has it */
        std::uint32_t thread = 0;
        Position position;
        /* One of the following, or else the envelope of a probe */
        SharedEnd end;
        SharedMeeting meeting;
        std::shared_ptr<const AccessEvent> access;
        std::shared_ptr<const AccessesCompleteEvent> completion;
        std::uint64_t communicator = 0;
        int peer = MPI_ANY_SOURCE;
        int tag = MPI_ANY_TAG;
    };

    /* A message that a receive from any process may get. */
    struct Sent {
        std::uint64_t communicator;
        int rank;
        int tag;
        Position position;
        SharedClock clock; /* of the sender, when it was posted */
    };

    /* A receive from any process that is not complete, and messages of different processes that later
     * ones have got. */
    struct OpenReceive {
        std::weak_ptr<End> end;
        std::vector<Sent> later;
    };

    struct Process {
        std::deque<Step> steps;
        std::size_t many = many_steps;
        bool is_free = false;
        bool is_gone = false; /* its events are no longer known */
        bool has_threads = false;
        std::uint32_t thread = 0; /* of the events that come */
        std::uint64_t time = 0;   /* counts what others may have to know of */
        SharedClock clock;        /* what it knows of others, and its own time */
        SharedClock told;         /* the last one that a write has told of */
        std::map<std::uint32_t, std::uint64_t> probe_times; /* of the last probe, by thread */
        std::string order_lost;                             /* see OrderLostEvent; empty: not yet */
        bool is_in_certain_cycle = false;
        std::set<std::pair<int, std::uint32_t>> accused; /* calls that are in a reported cycle */
        std::unordered_map<std::uint64_t, SharedEnd>
            ends;                                        /* of open requests, and matched probes */
        std::map<std::uint32_t, SharedEnd> any_receives; /* last one from any process, by site */
        std::map<std::uint32_t, OpenReceive> open_receives; /* the first one, by site */
        std::map<std::pair<std::uint64_t, std::uint64_t>, SharedMeeting> meetings;
    };

    /* Posted ends of messages to a process that the replay has not matched. */
    struct Inbox {
        std::list<SharedEnd> sends, receives;
    };

    struct Address {
        std::uint64_t communicator;
        int receiver;

        bool operator==(const Address &other) const
        {
            return communicator == other.communicator && receiver == other.receiver;
        }
    };

    struct Hash {
        std::size_t operator()(const Address &address) const
        {
            return static_cast<std::size_t>(
                (address.communicator ^ static_cast<std::uint64_t>(address.receiver)) *
                0x9e3779b97f4a7c15u);
        }
    };

    Process &process(int rank) { return processes_.at(static_cast<std::size_t>(rank)); }
    bool is_member(int rank) const
    {
        return rank >= 0 && static_cast<std::size_t>(rank) < processes_.size();
    }

    /* ---- progress ---- */

    SharedEnd make_end(int rank, const Position &position, std::uint64_t communicator);
    void add(int rank, Step step);
    void add(int rank, Step::Kind kind, const Position &position, const SharedEnd &end);
    void add(int rank, Step::Kind kind, const Position &position, const SharedMeeting &meeting);
    void wake(int rank) { awake_.push_back(rank); }
    void advance();
    void advance(int rank);
    bool make(int rank, Step &step); /* false: the step must wait */
    bool is_complete(int rank, Step &step);
    bool is_accused(int rank, const Step &step) const;
    void start(int rank, const Step &step);
    void end(int rank, const Step &step);
    void make_access(int rank, const AccessEvent &access);
    void learn(int rank, const SharedClock &clock);
    void tick(int rank);
    void free(int rank, const std::string &reason);
    void lose_order(int rank, const std::string &reason);
    void release(End &end);

    /* Why a process with that clock may know more; empty: it does not. */
    const std::string &reason_of_unknown_order(const SharedClock &clock) const;

    void omit(int rank, const char *what, const std::string &reason);
    void learn_by_probe(int rank, const Step &step);
    void find_races(int rank, const SharedEnd &receive);
    static bool could_get(const End &receive, const Sent &message);
    void find_race(const End &receive, const Sent &message);
    void post_any_receive(const SharedEnd &receive);
    void end_any_receive(const SharedEnd &receive);
    SharedMeeting meeting_of(const std::pair<std::uint64_t, std::uint64_t> &number,
                             const SharedRanks &members);
    void arrive(int rank, const SharedMeeting &meeting);
    void finish(const SharedMeeting &meeting);
    bool is_complete(const Meeting &meeting) const;

    /* The member that this one waits for first, all_members, or nobody. */
    int awaited_in(const Meeting &meeting, int rank) const;
    bool is_gone(int peer) const;
    void post(const SharedEnd &end, std::uint32_t thread);
    void open(const SharedEnd &end);
    void close(End &end);

    void receive_matched(int rank, const SharedEnd &probe);
    void judge_ready(const End &send, const End &receive);

    static bool fits(const End &send, int source, int tag);
    bool has_message(const Address &address, int source, int tag) const;
    bool has_receive(const End &send) const;

    /* ---- waiting ---- */

    /* An event that a step waits for. */
    struct Need {
        bool is_open = true; /* may complete whatever the processes do */
        bool is_any = false; /* any process is enough */
        std::vector<int> ranks;
    };

    /* Need of one step, or of all members of an operation. */
    struct Node {
        bool is_any;
        std::size_t left;
        std::vector<int> waiting;
    };

    /* The first steps, of which all must complete before the process makes the next one. */
    template <typename Visit>
    void each_first_wait(int rank, Visit visit);
    Need need_of(int rank, const Step &step) const;
    std::vector<bool> stuck_processes();
    int next_in_cycle(int rank, const std::vector<bool> &is_stuck, Cycle::Call &call);

    /* The cycle that waiting from this process on leads to. */
    Cycle cycle_from(int rank, const std::vector<bool> &is_stuck, std::vector<bool> &is_seen);
    bool is_news(const Cycle &cycle);
    void accuse(const Cycle &cycle);
    void search();

    /* A process has learned that something has happened in the run, but in the replay it is held up by
     * a send that was buffered, or by a collective operation that did not wait for all. True if there
     * is one; it completes as in the run. */
    bool release_for(int rank);
    int first_needed(int rank) const;

    /* A step that still waits although the run has gone on: the program has asked for it, or its call
     * has returned. Null: none. */
    const Step *held_up(int rank) const;

    /* The process has made other calls after those that it waits for in the replay. */
    bool has_gone_further(int rank) const;

    /* The operation cannot be complete without some of those that have not started it. */
    bool needs_others(int rank, const Step &step) const;

    /* has_ended: whatever a process has gone on after is complete. */
    bool release_first_wait(int rank, bool has_ended);
    bool release_first_waits(bool has_ended);

    /* The queue of the process is too long. */
    void relieve(int rank);

    const bool finds_races_;
    std::vector<Process> processes_;
    std::vector<Race> races_;
    std::vector<Unready> unready_, undecided_; /* the second ones may be ordered unseen */
    bool has_ready_ = false;                   /* there are ready sends */
    bool can_order_unseen_ = false;            /* there are windows, which processes can poll */
    /* There were writes under shared locks, or a probe that found one of several messages. */
    bool has_ordered_unseen_ = false;
    std::uint64_t sequence_ = 0;
    std::unordered_map<Address, Inbox, Hash> inboxes_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, SharedMeeting> meetings_;
    Accesses accesses_;
    std::size_t gone_ = 0;   /* processes */
    std::string order_lost_; /* why, if of all processes; see Clock::unordered() */
    std::vector<int> awake_;
    std::vector<Cycle> cycles_;                     /* found and not yet returned */
    std::set<std::pair<int, std::string>> omitted_; /* rank and what */
    std::vector<Omission> omissions_;
    std::uint64_t work_ = 0;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_REPLAY_HPP_INCLUDED */
