/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* State common to all rules of a process: call sites, the connection to the analyser, and whether
 * its events are comparable. */

#ifndef TOOLS_CHECK_LOCAL_PROCESS_HPP_INCLUDED
#define TOOLS_CHECK_LOCAL_PROCESS_HPP_INCLUDED

#include "connection.hpp"
#include "findings.hpp"
#include "recorder.hpp"
#include "resources.hpp"
#include "signature.hpp"
#include "sites.hpp"
#include "threads.hpp"

#include "../common/communicators.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qmpi::check {

using SharedCommunicator = std::shared_ptr<const Communicator>;

struct Here {
    MPI_Context context;
    int function;
};

/* Thread-safe. */
class LocalProcess {
  public:
    /* findings receives them while there is no analyser. All must outlive this object. */
    LocalProcess(Findings &findings, Recorder &recorder, Sites &sites);

    Types types;
    Handles handles;
    Communicators &communicators = *new Communicators; /* never destroyed */

    /* Bytes of the buffer for buffered sends, or one of these. */
    static constexpr std::int64_t no_buffer = -1, unknown_buffer = -2;
    std::atomic<std::int64_t> attached{no_buffer};

    /* ---- findings and call sites ---- */

    bool wants(Kind kind) const { return findings_.wants(kind); }
    /* others: calls of this process that the text names */
    void found(Kind kind, const Position &position, const std::string &text,
               const std::vector<Position> &others = {});

    /* At process exit, where the analyser may have ended. */
    void found_at_exit(Kind kind, const Position &position, const std::string &text);

    Position position(const Here &here);
    std::string text(const Position &position) const;

    /* ---- the analyser ---- */

    /* At the begin of the world or of the job: sets the rank, which is the same in both. first: rank of
     * the world's first process. */
    void enter(const qmpi::world &world, int first);
    void enter(const qmpi::job &job);

    /* In MPI_COMM_WORLD or the job, counted from the first one; -1 before. */
    int rank() const { return rank_; }

    /* Of MPI_COMM_WORLD or the job */
    int size() const { return size_; }

    bool has_world() const { return has_world_; }

    /* Connects to the analyser by the hub of the host. Throws std::runtime_error. */
    void connect(const Address &hub) { client_.connect(hub, rank_); }

    /* All processes have connected, or none is compared with others. */
    void begin(bool is_compared);

    bool is_connected() const { return client_.is_up(); }

    /* Tells the name of the world, which others ask for. Before they can know one of its processes. */
    void introduce();

    /* As Client::report(). */
    template <typename Fields>
    bool report(Event event, Fields fields, bool wants_answer)
    {
        return client_.report(event, std::move(fields), wants_answer, thread());
    }
    bool report(Event event, bool wants_answer)
    {
        return client_.report(event, wants_answer, thread());
    }
    void flush() { client_.flush(); }
    void disconnect()
    {
        has_ended_ = true;
        client_.disconnect();
    }

    /* The first event of each kind at a call site waits for the analyser, so that its finding is printed
     * before the program can crash. */
    bool waits_for_answer(Event event, const Position &position)
    {
        return sites_.is_first(position.site, static_cast<unsigned>(event));
    }

    /* ---- comparability ---- */

    /* Excludes this process from all further comparison. The reason is for the report and standard
     * error. */
    void distrust(std::string_view reason, bool is_printed = true);
    bool is_distrusted() const { return is_distrusted_; }

    /* A communication has failed. is_compared: the analyser knows the operation, and may know the call
     * that has sent more than the buffer holds */
    void failed(int error_code, const OperationEvent &event, bool is_compared);
    /* The same for an operation that receives nothing. */
    void failed(const Position &position);

    /* For the next two */
    static constexpr const char *not_compared = "a communicator that is not compared";

    /* The process uses an operation that can order it after others, and that the analyser does not
     * follow. Before the process can learn anything by it. */
    void lose_order(const char *what) { lose_order(has_lost_order_, what, false); }

    bool has_lost_order() const { return has_lost_order_.load(std::memory_order_relaxed); }

    /* The same if it can order other processes, too, that use nothing of that kind. */
    void lose_order_of_all(const char *what) { lose_order(has_lost_order_of_all_, what, true); }

    /* The report says that a part of the search leaves the process out, once for what, a literal. */
    void omit(const char *what, const std::string &reason);

    /* Blocks of one element of a type with gaps. None if count elements have more than most blocks:
     * the report says that the process is left out of the search for what, a literal. */
    const std::vector<std::int64_t> &blocks(const Type &type, MPI_Datatype datatype,
                                            MPI_Count count, std::size_t most, const char *what);

    /* Communicator of a call about to be made: only for handles known to be valid, else nullptr. */
    SharedCommunicator communicator(MPI_Comm comm);

    /* Stands for the communicator that the call is about to make of a group, or of two. */
    template <typename Call>
    SharedCommunicator communicator_to_make(Call &call)
    {
        const auto is_live = [this](MPI_Group group) {
            return handles.is_live({qmpi::role::group, qmpi::handle_value(group)});
        };
        bool is_valid = rank_ >= 0 && !has_ended_ && is_live(qmpi::get<qmpi::role::group>(call));
        if constexpr (Call::id == MPI_COMM_CREATE_GROUP_T)
            is_valid =
                is_valid && communicator(qmpi::get<qmpi::role::communicator>(call)) != nullptr;
        else if constexpr (Call::id == MPI_INTERCOMM_CREATE_FROM_GROUPS_T)
            is_valid = is_valid && is_live(qmpi::get<qmpi::role::group, 1>(call)) &&
                call.template argument<4>() != nullptr; /* the string tag */
        else
            is_valid = is_valid && call.template argument<1>() != nullptr; /* the same */
        return is_valid ? communicators.to_make(call) : nullptr;
    }

    /* ---- threads ---- */

    /* Several threads can be in MPI at the same time. */
    bool is_multiple() const { return threads_.is_multiple(); }

    /* Other threads are in calls that communicate; false below MPI_THREAD_MULTIPLE. */
    bool are_others_calling() { return threads_.are_others_calling(); }

    /* A call that communicates, during its lifetime. */
    class Call {
      public:
        explicit Call(LocalProcess &process) : process_(process), call_(process.threads_) {}
        ~Call()
        {
            if (process_.threads_.are_several())
                process_.report(Event::returned, false);
        }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;

      private:
        LocalProcess &process_;
        Threads::Call call_;
    };

    /* Before the current call does this, and before is_comparable(). */
    void use(const SharedCommunicator &communicator, Use use);
    void use_window(const Use &use);

    Recorder::Polls polls() { return recorder_.polls(); }

    /* False if the order of this and another thread's use of the object is unknown. */
    bool use_object(const Use &use) { return !is_multiple() || !threads_.use(use); }

    /* No two threads have accessed and synchronized it at the same time. */
    bool is_ordered(std::uint64_t window) { return threads_.is_ordered(window); }

    /* True if all members share this analyser, and the order of this process's calls is known. */
    bool is_comparable(const SharedCommunicator &communicator);

    /* The same for a call that can order the process after others: it loses the order if false. */
    bool is_followed(const SharedCommunicator &communicator)
    {
        const bool is_comparable = this->is_comparable(communicator);
        if (!is_comparable)
            lose_order(not_compared);
        return is_comparable;
    }

  private:
    /* is_of_all: the analyser must know before others can go on. */
    void lose_order(std::atomic<bool> &is_reported, const char *what, bool is_of_all)
    {
        if (!is_reported.load(std::memory_order_relaxed) && is_connected() &&
            report(Event::order_lost, OrderLostEvent{what, is_of_all}, is_of_all))
            is_reported = true;
    }

    std::optional<std::uint32_t> thread() const
    {
        return is_multiple() ? Threads::number() : std::nullopt;
    }

    /* True if it was not excluded before. */
    bool exclude(const Communicator &communicator, const char *reason);
    Finding finding(Kind kind, const Position &position, const std::string &text,
                    const std::vector<Position> &others) const;
    bool has_all_members(const Communicator &communicator);
    bool are_present(const Communicator &communicator);
    int first_of(const std::string &world);

    Findings &findings_;
    Recorder &recorder_;
    Client client_;
    Sites &sites_;
    std::atomic<int> rank_{-1};          /* set last: other threads may be in MPI */
    int first_ = 0;                      /* rank of the first process of the world */
    int size_ = 1;                       /* of the world or the job */
    std::atomic<bool> has_world_{false}; /* other threads may have a session */
    Threads threads_;
    std::vector<bool> is_in_world_; /* [rank in MPI_COMM_WORLD] has this instance; empty: a job */
    std::atomic<bool> is_introduced_{false};
    std::mutex worlds_lock_;
    std::map<std::string, int> worlds_; /* first rank of other worlds; negative: not compared */
    const std::vector<std::int64_t> none_;
    std::atomic<bool> is_distrusted_{false};
    std::atomic<bool> has_ended_{false}; /* the analysis; sessions may continue */
    std::atomic<bool> has_lost_order_{false}, has_lost_order_of_all_{false};
    std::mutex lock_;                  /* protects the following */
    std::set<std::uint64_t> excluded_; /* ids of communicators */
    std::set<std::uint64_t> complete_; /* of those whose members the analyser knows */
    std::set<const char *> omitted_;   /* Omission::what that were recorded */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_LOCAL_PROCESS_HPP_INCLUDED */
