/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Resources of a process: handles, memory of pending operations, windows and their epochs.
 * Thread-safe. */

#ifndef TOOLS_CHECK_RESOURCES_HPP_INCLUDED
#define TOOLS_CHECK_RESOURCES_HPP_INCLUDED

#include "events.hpp"
#include "signature.hpp"

#include <qmpi.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace qmpi::check {

inline const char *name_of(qmpi::role role)
{
    switch (role) {
    case qmpi::role::communicator:
        return "communicator";
    case qmpi::role::group:
        return "group";
    case qmpi::role::datatype:
        return "datatype";
    case qmpi::role::operation:
        return "operation";
    case qmpi::role::window:
        return "window";
    case qmpi::role::file:
        return "file";
    case qmpi::role::info:
        return "info object";
    case qmpi::role::errhandler:
        return "error handler";
    case qmpi::role::session:
        return "session";
    case qmpi::role::request:
        return "request";
    case qmpi::role::keyval:
        return "keyval";
    default:
        return nullptr;
    }
}

constexpr bool is_handle(qmpi::role role)
{
    return role == qmpi::role::communicator || role == qmpi::role::group ||
        role == qmpi::role::datatype || role == qmpi::role::operation ||
        role == qmpi::role::window || role == qmpi::role::file || role == qmpi::role::info ||
        role == qmpi::role::errhandler || role == qmpi::role::session || role == qmpi::role::keyval;
}

struct Handle {
    qmpi::role role;
    std::uint64_t value;

    bool operator<(const Handle &other) const
    {
        return std::tie(role, value) < std::tie(other.role, other.value);
    }
};

/* Handles that the program got and freed. Some calls, such as MPI_Comm_group, return a handle
 * several times; each must be freed. */
class Handles {
  public:
    void made(const Handle &handle, const Position &position);
    void freed(const Handle &handle, const Position &position);

    /* A valid handle that need not be freed, such as that of MPI_Comm_get_parent. */
    void seen(const Handle &handle);

    /* The handle is that of an object without these rules. */
    void forget(const Handle &handle);

    bool is_live(const Handle &handle) const;

    /* State of a handle that is about to be used. */
    struct Known {
        bool is_any = false;           /* a call has returned it */
        std::optional<Position> freed; /* the call that has freed it */
    };

    Known known_of(const Handle &handle) const;

    /* Calls visit(handle, position) for each that was not freed. */
    template <typename Visit>
    void each_live(Visit visit) const
    {
        std::lock_guard<std::mutex> guard(lock_);
        for (const auto &[handle, object] : objects_) {
            for (const Position &position : object.makers)
                visit(handle, position);
        }
    }

  private:
    struct Object {
        std::vector<Position> makers;
        bool is_seen = false;
        std::optional<Position> freed;
    };

    mutable std::mutex lock_;
    std::map<Handle, Object> objects_;
};

/* Memory of a buffer. */
struct Range {
    using Block = std::pair<std::uintptr_t, std::uintptr_t>; /* begin, end */

    std::uintptr_t begin; /* of all data */
    std::uintptr_t end;
    bool is_written;

    /* If the data has gaps: */
    Types::Shared type;
    std::uintptr_t address = 0;
    MPI_Count count = 0;

    static constexpr std::size_t most_blocks = 65536;

    /* Blocks of data, ascending. */
    std::vector<Block> blocks() const;
};

using Ranges = Few<Range, 1>;

bool conflict(const Range &a, const Range &b);

class PendingMemory {
  public:
    using Key = std::uint64_t;

    /* The call that already uses some of the memory, if either writes to it. */
    std::optional<Position> conflict(const Range &range) const;
    void add(Key key, const Ranges &ranges, const Position &position);

    void remove(Key key, const Ranges &ranges);

  private:
    struct Use {
        Range range;
        Position position;
    };

    using Uses = std::multimap<std::pair<std::uintptr_t, Key>, Use>; /* by begin and operation */

    struct Memory {
        Uses uses;
        std::uintptr_t longest = 0; /* range since there was none */
    };

    Memory &memory_of(const Range &range) { return range.is_written ? written_ : read_; }

    mutable SpinLock lock_;
    Memory read_, written_;               /* two readers do not conflict */
    std::vector<Uses::node_type> unused_; /* for later ranges */
};

/* Epochs of windows, and whether a target may be accessed. */
class Windows {
  public:
    void made(MPI_Win window);
    void freed(MPI_Win window);

    /* Notes an access and returns an earlier conflicting one of the same epoch, if any, at the same
     * displacement. Only equal displacements are certain to overlap, since the target's displacement
     * unit is unknown. */
    std::optional<Position> access(MPI_Win window, int target, MPI_Aint displacement,
                                   AccessEvent::Kind kind, const Position &position);

    /* Accesses of the target, or of all with MPI_ANY_SOURCE, are complete there; else at the origin. */
    void synchronized(MPI_Win window, int target, bool is_at_target);
    void fenced(MPI_Win window, int assertion);

    /* targets: ranks in the window's group; MPI_UNDEFINED among them if some are unknown */
    void started(MPI_Win window, std::vector<int> targets);
    void completed(MPI_Win window);
    void exposed(MPI_Win window, bool is_begin);
    void locked(MPI_Win window, int target, bool is_begin);

    void locked_all(MPI_Win window, bool is_begin);

    /* Also true for unknown windows. */
    bool may_access(MPI_Win window, int target) const;
    bool is_locked(MPI_Win window, int target) const;

    /* False for a target outside the group of the open MPI_Win_start. */
    bool is_in_started(MPI_Win window, int target) const;

    /* Text of the fault of a call that begins or ends an epoch, or needs one, else empty (MPI 4.0,
     * 12.5). A fence begins an epoch only if an access follows. */
    std::string fault(MPI_Win window, int function, int target) const;

    /* The process has accessed the window since the last fence, in its epoch. */
    bool is_fence_used(MPI_Win window) const;

    void accessed(MPI_Win window);

  private:
    struct Done {
        AccessEvent::Kind kind;
        Position position;
    };

    /* By target and displacement */
    using Accesses = std::map<std::pair<int, MPI_Aint>, Done>;

    struct State {
        Accesses puts, others;
        bool is_fenced = false;
        bool is_fence_used = false; /* by an access outside other epochs */
        bool is_started = false;
        std::vector<int> targets; /* of MPI_Win_start */
        bool is_exposed = false;  /* by MPI_Win_post */
        bool is_locked_all = false;
        std::set<int> locked;

        bool is_any_locked() const { return is_locked_all || !locked.empty(); }
        bool is_locked(int target) const { return is_locked_all || locked.count(target) > 0; }
        bool is_other_open() const { return is_started || is_any_locked(); }

        std::string fault_of_begin(int function, int target) const;
        std::string fault_of_use(int function, int target) const;
    };

    static void forget(Accesses &accesses, int target);

    template <typename Change>
    void change(MPI_Win window, Change change)
    {
        std::lock_guard<std::mutex> guard(lock_);
        const auto found = windows_.find(window);
        if (found != windows_.end())
            change(found->second);
    }

    mutable std::mutex lock_;
    std::unordered_map<MPI_Win, State> windows_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_RESOURCES_HPP_INCLUDED */
