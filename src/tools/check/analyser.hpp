/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Compares the events of all processes: collective operations in the order of each communicator,
 * messages with their receives, and the wait-for graph. Reports only what is certain. Ranks are those
 * of hub.hpp. Not thread-safe. */

#ifndef TOOLS_CHECK_ANALYSER_HPP_INCLUDED
#define TOOLS_CHECK_ANALYSER_HPP_INCLUDED

#include "events.hpp"
#include "findings.hpp"
#include "inbox.hpp"
#include "recorder.hpp"
#include "replay.hpp"
#include "window_bounds.hpp"

#include "../common/call_sites.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace qmpi::check {

class Analyser {
  public:
    using Clock = std::chrono::steady_clock;

    /* findings and recorder must outlive the analyser. */
    Analyser(int size, std::chrono::duration<double> timeout, Findings &findings,
             Recorder &recorder)
        : timeout_(timeout), findings_(findings), recorder_(recorder), first_world_(size),
          processes_(static_cast<std::size_t>(size)),
          replay_(size, findings.wants(Kind::message_race))
    {
    }

    /* Throws if the event is malformed. */
    void take(int rank, Event event, Reader &reader);

    /* The process has ended or lost its connection. */
    void lost(int rank);
    bool are_present(const std::vector<int> &ranks) const;

    /* A spawned world joins; returns the rank of its first process. Each of them has joined when it has
     * connected, or is lost. */
    int add(int size);
    bool joined(int rank) { return !std::exchange(process(rank).has_joined, true); } /* now */
    bool are_joining(const std::vector<int> &ranks) const;

    /* Those that have joined and not called MPI_Finalize. */
    std::set<int> unfinished() const;

    bool have_all_ended() const { return ended_ == processes_.size(); }
    int size() const { return static_cast<int>(processes_.size()); }

    /* A call of the process has failed because of a message that is too long, or that nobody has
     * received (Event::truncated, unmatched), and the call that sends it is not known yet. */
    bool awaits_sender(int rank) const;

    /* That call will not be awaited longer. */
    void settle_failed(int rank);

    /* Reports messages that were never received, and conflicts, once, if no process will communicate
     * again. */
    void find_unreceived();

    /* Reports, once, conflicts that a later access to a window could have shown to be none, and races of
     * messages that were never received. All have ended. */
    void find_conflicts();

    /* Reports calls that could wait for each other for ever, though they did not in this run. */
    void find_cycles();

    /* Finds processes that wait for each other. True if new ones were printed. */
    bool find_deadlock();

  private:
    static constexpr int max_lines = 64;              /* per deadlock */
    static constexpr std::size_t max_mismatched = 64; /* kept operations of a communicator */
    static constexpr std::size_t max_calls = 8;       /* printed, of a cycle */
    static constexpr std::size_t max_groups = 64;     /* compared, of MPI_Comm_create */

    /* A call site; its place is looked up for a finding only. */
    struct Site {
        CodeLocation location;
        std::optional<Place> place;
    };

    using Message = Inbox::Message;
    using Receive = Inbox::Receive;

    /* Both sides of a message that a probe has matched, as far as they are known. */
    struct Matched {
        int source = 0;
        std::optional<Message> send;
        std::optional<Receive> receive;
        bool needs_receive = false; /* the send may wait until the process receives the message */
    };

    struct Process {
        std::map<std::uint32_t, Site> sites;
        std::optional<BlockedEvent> blocked;
        Clock::time_point blocked_since;
        std::optional<Position> polling; /* all that it does is to test in vain */
        Clock::time_point polling_since;
        bool is_trusted = true;   /* order of its sends and receives is known */
        bool is_silent = false;   /* will not communicate again */
        bool is_multiple = false; /* several threads can be in MPI at the same time */
        bool is_finalized = false;
        bool has_joined = true; /* false until a spawned process connects */
        bool is_lost = false;
        bool has_ended = false;                               /* finalized or lost */
        std::unordered_map<std::uint64_t, Matched> matched;   /* by number of the probe's receive */
        std::unordered_set<std::uint64_t> truncated_receives; /* numbers of those with a finding */
        OperationEvent truncated;    /* the last operation whose message was too long */
        std::uint64_t unmatched = 0; /* communicator that was freed too early; 0: none */
    };

    using OperationOf = std::pair<int, std::uint64_t>; /* rank and number */

    /* A partitioned send and its receive. */
    struct Channel {
        struct Side {
            int rank = 0;
            bool is_made = false, is_freed = false;
            Message made;
            std::uint64_t starts = 0;
            std::deque<SharedEnd> ends; /* that the other side does not have yet */
        };

        std::uint64_t communicator = 0;
        std::uint64_t id = 0;
        int tag = 0;
        Side send, receive;
    };

    using SharedChannel = std::shared_ptr<Channel>;

    /* A partitioned operation that is not freed. */
    struct PartitionedOperation {
        SharedChannel channel;
        bool is_send = false;

        Channel::Side &own() const { return is_send ? channel->send : channel->receive; }
        Channel::Side &other() const { return is_send ? channel->receive : channel->send; }
    };

    struct Arrival {
        int rank;
        CollectiveEvent event;
    };

    /* A collective operation that not all processes have started. */
    struct Operation {
        std::vector<Arrival> arrivals;
        std::size_t missing = 0;   /* processes that are still compared and have not arrived */
        bool has_mismatch = false; /* of functions or roots: may never complete */

        /* Most arrivals must agree with each other, so a new one is compared with few of them: these
         * indexes of arrivals have everything that the others have. */
        std::vector<std::size_t> samples;
        unsigned sampled = 0;           /* aspects that the samples have */
        std::set<std::uint64_t> groups; /* that the samples have, see AgreedGroup */
    };

    struct Group {
        std::string name;
        std::uint64_t made_on = 0; /* communicator of an object, see CollectiveObject */
        SharedRanks world;
        std::map<std::uint64_t, Operation> operations;
        bool has_mismatch = false;
        std::deque<std::uint64_t> mismatched; /* operations that all have started */
        std::size_t freed = 0;                /* processes, of a persistent operation */
    };

    void take_results();
    void report_unreceived(int receiver, const Inbox &inbox);
    void report(const Cycle &cycle);
    void note_end(int rank);
    void distrust(int rank);
    void take_message(int rank, SendEvent send);
    void take_message(int rank, ReceiveEvent receive);
    void exclude(int rank, const CommunicatorEvent &event);
    void take_freed(const CommunicatorEvent &event);
    void take_window(int rank, const WindowEvent &event);
    void take_access(int rank, AccessEvent event);
    void report(const std::vector<WindowBounds::Access> &outside);
    void take_joining(int rank, const JoiningEvent &event);
    void forget_partitioned(std::uint64_t communicator);
    bool is_excluded(std::uint64_t communicator) const;

    Process &process(int rank) { return processes_.at(static_cast<std::size_t>(rank)); }

    const Place &place(int rank, const Position &position);
    OtherCall call(int rank, const Position &position);
    std::vector<OtherCall> calls(int rank, const std::vector<Position> &positions);
    std::vector<OtherCall> calls(const Cycle &cycle);
    std::string text(int rank, const Position &position);
    std::string text(const Cycle &cycle);
    std::string text(const Conflict &conflict);
    Finding finding(Kind kind, int rank, const Position &position, const std::string &text,
                    std::vector<OtherCall> others);

    /* True if the finding was printed. */
    bool add(Kind kind, int rank, const Position &position, const std::string &text,
             std::vector<OtherCall> others = {}, std::vector<Awaited> awaited = {});

    void note(const Omission &omission);
    void note_once(const Omission &omission);

    /* ---- collective operations ---- */

    void take_collective(int rank, CollectiveEvent event);
    void complete(std::uint64_t communicator, Group &group, std::uint64_t number,
                  const Operation &operation, int function);
    void forget(std::uint64_t communicator, const Group &group);
    void compare_with_earlier(Group &group, const Operation &operation, int rank,
                              const CollectiveEvent &event);

    /* Later mismatches are consequences: one report per communicator. */
    void compare(Group &group, const Arrival &earlier, int rank, const CollectiveEvent &event);

    /* Empty if there is none. */
    static std::string difference(const Arrival &earlier, int rank, const CollectiveEvent &event);
    static std::string disagreement(const Arrival &earlier, int rank, const CollectiveEvent &event);
    static bool is_other_operation(const CollectiveEvent &a, const CollectiveEvent &b);
    static bool differ(const Signature &a, const Signature &b);
    bool is_news(const Operation &operation, const CollectiveEvent &event) const;

    /* ---- messages ---- */

    void take_probe(int rank, const ProbeEvent &event);
    void take_received(int rank, const ReceivedEvent &event);

    auto match_for(int rank)
    {
        return [this, rank](const Message &message, const Receive &receive) {
            matched(rank, message, receive);
        };
    }
    void matched(int rank, const Message &message, const Receive &receive);
    void compare_matched(int rank, std::uint64_t number);
    void take_partitioned(int rank, const PartitionedEvent &event);
    void take_partitioned(Event event, const OperationOf &key);

    /* A receive was started, or all partitions of a send are ready. */
    void add_end(const PartitionedOperation &operation);
    void compare(int source, const Message &message, int rank, const Receive &receive);

    /* ---- deadlocks ---- */

    bool is_overdue(int rank) const;
    const std::vector<int> &missing(int waiter, const Wait &wait);
    const std::vector<int> &awaited_ranks(int waiter, const Wait &wait);

    static bool is_any_running(const std::vector<int> &ranks, const std::vector<bool> &is_stuck);

    bool is_any_member_running(std::uint64_t communicator, const std::vector<bool> &is_stuck) const;

    /* True if the message may have been sent and not yet received. */
    bool is_sent(int receiver, const Wait &wait, const std::vector<bool> &is_stuck) const;

    /* True if the receive of the sender's message may have started, or the send needs none. */
    bool may_be_received(int sender, const Wait &wait) const;
    bool is_held_by_probe(int sender, const Wait &wait) const;
    void find_no_progress();

    /* True if the other side of the partitioned operation may have started it. */
    bool may_have_started(int waiter, const Wait &wait) const;

    /* True if the other leader may be in MPI_Intercomm_create, or have left it. */
    bool may_have_joined(int waiter, const Wait &wait) const;

    /* True if what is waited for may have happened; a matched message may still be in transfer. */
    bool may_have_come(int waiter, const Wait &wait, const std::vector<bool> &is_stuck) const;
    bool may_complete(int waiter, const Wait &wait, const std::vector<bool> &is_stuck);

    bool can_proceed(int rank, const std::vector<bool> &is_stuck);
    static std::string list(const std::vector<int> &ranks);

    /* A stuck process that this one waits for; -1 if none. */
    int next_in_cycle(int waiter, const BlockedThread &thread, const std::vector<bool> &is_stuck,
                      std::string &what);
    std::vector<Awaited> awaited(int waiter, const BlockedThread &thread,
                                 const std::vector<bool> &is_stuck);

    /* True if one of them was printed. */
    bool report(const std::set<int> &stuck, const std::vector<bool> &is_stuck);

    std::string cycle_through(int begin, const BlockedThread &thread,
                              const std::vector<bool> &is_stuck);

    const std::chrono::duration<double> timeout_;
    Findings &findings_;
    Recorder &recorder_;
    const int first_world_; /* size of the world of rank 0 */
    std::vector<Process> processes_;
    Replay replay_;
    WindowBounds bounds_;
    CallSites call_sites_;
    std::unordered_map<std::uint64_t, Group> groups_;
    std::unordered_set<std::uint64_t> excluded_; /* communicators that are not compared */
    bool has_printed_exclusion_ = false;
    std::map<std::pair<std::uint64_t, int>, Inbox> inboxes_; /* by communicator and receiver */
    /* With one side, by communicator, sender, receiver and tag. */
    std::map<std::tuple<std::uint64_t, int, int, int>, std::deque<SharedChannel>> partitioned_;
    std::uint64_t number_of_channels_ = 0;
    std::map<OperationOf, PartitionedOperation> partitioned_operations_;

    /* By communicator, two leaders in the order of their ranks, and tag: how often the first one has joined
     * its group with that of the second one, without those times that the second one has, too. */
    std::map<std::tuple<std::uint64_t, int, int, int>, long> joins_;
    std::vector<Cycle> cycles_; /* not reported */
    std::set<int> reported_;
    std::set<std::pair<int, std::string>> noted_; /* by note_once(): rank and what */
    std::set<std::string> omitted_;               /* Omission::what that were printed */

    /* By communicator, number and, if not all waiters wait for the same, waiter. */
    std::map<std::tuple<std::uint64_t, std::uint64_t, int>, std::vector<int>> missing_;
    const std::vector<int> nobody_;
    bool has_found_no_progress_ = false;
    bool has_found_unreceived_ = false;
    bool has_ended_run_ = false; /* of the replay */
    std::size_t ended_ = 0;      /* processes */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_ANALYSER_HPP_INCLUDED */
