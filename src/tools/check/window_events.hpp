/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Informs the analyser of accesses to windows and of what orders them. */

#ifndef TOOLS_CHECK_WINDOW_EVENTS_HPP_INCLUDED
#define TOOLS_CHECK_WINDOW_EVENTS_HPP_INCLUDED

#include "collective_object.hpp"
#include "local_process.hpp"
#include "waiting.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace qmpi::check {

/* Thread-safe. Targets are ranks in the window's communicator. */
class WindowEvents {
  public:
    explicit WindowEvents(LocalProcess &process) : process_(process) {}

    void made(MPI_Win window, MPI_Comm comm, bool has_size, bool has_info);

    /* Any operations may be allowed beside each other from now on. */
    void changed_info(MPI_Win window);

    /* Before any call. */
    void use(MPI_Win window, Use::Kind kind, int target, const Position &position);

    /* Before the calls; return what they wait for. */
    Expectations fence(MPI_Win window, int assertion, const Position &position,
                       std::uint64_t agreed);
    Expectations free(MPI_Win window, const Position &position);
    Expectations lock(MPI_Win window);
    Expectations start(MPI_Win window, MPI_Group targets);
    Expectations complete(MPI_Win window);
    Expectations wait(MPI_Win window);

    /* After the calls. target: -1 for all; groups have processes of the window */
    void locked(MPI_Win window, int target, bool is_exclusive);
    void unlocked(MPI_Win window, int target);
    void flushed(MPI_Win window, int target, bool are_reads);
    void started(MPI_Win window, MPI_Group targets);
    void completed(MPI_Win window);
    void exposed(MPI_Win window, MPI_Group origins, int assertion, const Position &position);

    /* Event to report when a read of the target has completed by a request. With several requests, the
     * analyser takes all reads as complete then. */
    std::optional<AccessesCompleteEvent> reads(MPI_Win window, int target);

    /* event: its call, kind, operation and displacement; target: in the window's communicator */
    void access(MPI_Win window, int target, AccessEvent event, MPI_Count count,
                MPI_Datatype datatype);

  private:
    struct State {
        std::uint64_t id() const { return fences.id(); }

        SharedCommunicator communicator;
        CollectiveObject fences;
        std::vector<int> started;            /* targets, in MPI_COMM_WORLD */
        std::vector<int> exposed;            /* origins, too */
        std::map<int, std::uint64_t> starts; /* for each target */
        std::set<int> shared, exclusive;     /* locks, also of all: -1 */
        bool has_info = false;               /* which may have the key accumulate_ops */
    };

    Expected synchronize(State &state, const Position &position, bool is_local,
                         std::uint64_t agreed = 0);

    /* Returns false if no other process's access can be compared with this one. */
    bool set_epoch(AccessEvent &event, const State &state, int target);

    /* Bytes of the data; empty if unknown or too many. */
    std::vector<std::int64_t> blocks(const Type &type, MPI_Count count, MPI_Datatype datatype);

    /* Returns the result of use(), or an empty object if the window is not compared. */
    template <typename Use>
    auto with(MPI_Win window, Use use)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        const auto found = windows_.find(window);
        using Result = decltype(use(found->second));
        return found != windows_.end() && process_.is_comparable(found->second.communicator)
            ? use(found->second)
            : Result();
    }

    LocalProcess &process_;
    std::mutex lock_;
    std::unordered_map<MPI_Win, State> windows_;
    std::unordered_map<std::uint64_t, std::uint64_t> numbers_; /* of windows, by communicator */
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_WINDOW_EVENTS_HPP_INCLUDED */
