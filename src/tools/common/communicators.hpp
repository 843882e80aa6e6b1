/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Data about communicators: world ranks, neighbours, and an id that all members share. */

#ifndef QMPI_COMMUNICATORS_HPP_INCLUDED
#define QMPI_COMMUNICATORS_HPP_INCLUDED

#include "handles.hpp"
#include "movement.hpp"

#include <qmpi.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qmpi {
inline namespace v1 {

/* The functions whose calls are wanted. is_wanted: of a null pointer to the type of the call.
 * The library may lack functions, so ids are not positions. */
template <typename IsWanted, std::size_t... ids>
constexpr qmpi::function_set functions_that(IsWanted is_wanted,
                                            std::index_sequence<ids...> /* all */)
{
    constexpr MPI_Functions_enum functions[] = {static_cast<MPI_Functions_enum>(ids)...};
    const bool are_wanted[] = {
        is_wanted(static_cast<qmpi::call<static_cast<MPI_Functions_enum>(ids)> *>(nullptr))...};
    qmpi::function_set set;
    for (std::size_t i = 0; i < sizeof...(ids); i++) {
        if (are_wanted[i])
            set.add(functions[i]);
    }
    return set;
}

/* World rank of a process outside MPI_COMM_WORLD (spawned or connected). */
inline constexpr int outside_world = -1;

/* Name of the world of this process, see MPIX_Get_process_world; empty if MPI has not begun. */
std::string own_world();

/* Of this process in MPI_COMM_WORLD, or among all processes of the job if there are sessions only. */
struct PlaceInJob {
    int rank = 0;
    int size = 1;
};

/* Starts a session if there is no MPI_COMM_WORLD. */
PlaceInJob place_in_job();

/* A communicator of this process alone: MPI_COMM_SELF, or without MPI_COMM_WORLD one of a session of its
 * own. MPI must be initialized. */
class OwnCommunicator {
  public:
    OwnCommunicator();
    ~OwnCommunicator();
    OwnCommunicator(const OwnCommunicator &) = delete;
    OwnCommunicator &operator=(const OwnCommunicator &) = delete;

    /* MPI_COMM_NULL if the library refuses. */
    MPI_Comm get() const { return comm_; }

  private:
    MPI_Session session_ = MPI_SESSION_NULL;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

/* Ranks of a group, which communicators of the same group share. Immutable. */
class Ranks {
  public:
    using Shared = std::shared_ptr<const std::vector<int>>;

    Ranks() : Ranks(std::vector<int>()) {}
    explicit Ranks(std::vector<int> ranks)
        : Ranks(std::make_shared<const std::vector<int>>(std::move(ranks)))
    {
    }
    explicit Ranks(Shared ranks) : ranks_(std::move(ranks)) {}

    operator const std::vector<int> &() const { return *ranks_; }
    auto begin() const { return ranks_->begin(); }
    auto end() const { return ranks_->end(); }
    std::size_t size() const { return ranks_->size(); }
    bool empty() const { return ranks_->empty(); }
    int operator[](std::size_t i) const { return (*ranks_)[i]; }

    friend bool operator==(const Ranks &a, const Ranks &b) { return *a.ranks_ == *b.ranks_; }
    friend bool operator!=(const Ranks &a, const Ranks &b) { return !(a == b); }
    friend bool operator<(const Ranks &a, const Ranks &b) { return *a.ranks_ < *b.ranks_; }

  private:
    Shared ranks_;
};

/* Size and place of the calling process. Few are different; they are never freed. */
struct Shape {
    bool is_inter = false;
    int rank = MPI_UNDEFINED, size = 0, remote_size = 0;
    /* In the block order of neighborhood collectives: false for MPI_PROC_NULL. */
    std::vector<bool> sources, destinations;

    bool operator<(const Shape &other) const
    {
        return std::tie(is_inter, rank, size, remote_size, sources, destinations) <
            std::tie(other.is_inter, other.rank, other.size, other.remote_size, other.sources,
                     other.destinations);
    }
};

/* Facts that a tool needs about each communicator: its shape, or all below. */
enum class Detail { shape, all };

/* Data of a communicator but for its name; duplicates copy all of it and get their own id. */
struct CommunicatorData {
    MPI_Comm handle = MPI_COMM_NULL;
    const Shape *shape = nullptr;
    int rank = MPI_UNDEFINED; /* of the calling process */
    int size = 0;             /* of the local group */
    bool is_inter = false;
    Ranks world;  /* rank in MPI_COMM_WORLD of each local rank */
    Ranks remote; /* the same of the remote group; empty for an intracommunicator */

    /* Same in all members and unique: hash of the members, the library's number (see
     * MPIX_Get_context_id), and how often the two have come together before. With members outside the
     * world: unique in this process only. */
    std::uint64_t id = 0;

    /* Hash of the members in order. */
    std::uint64_t members = 0;

    int topology = MPI_UNDEFINED; /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH or MPI_UNDEFINED */
    /* Ranks, or MPI_PROC_NULL, in the block order of neighbourhood collectives. */
    std::vector<int> sources;
    std::vector<int> destinations;
};

/* A communicator. Immutable but for its name. */
class Communicator : public CommunicatorData, public std::enable_shared_from_this<Communicator> {
  public:
    /* All members see the groups of an intercommunicator in the same order: is the own one first? The
     * second group of an intracommunicator is empty. */
    bool is_first_group() const { return !is_inter || world < remote; }
    const Ranks &first_group() const { return is_first_group() ? world : remote; }
    const Ranks &second_group() const { return is_first_group() ? remote : world; }

    /* Group that rank arguments refer to: the remote one of an intercommunicator. */
    const Ranks &peers() const { return is_inter ? remote : world; }

    int world_rank_of(int peer) const
    {
        const auto &group = peers();
        return peer >= 0 && static_cast<std::size_t>(peer) < group.size()
            ? group[static_cast<std::size_t>(peer)]
            : outside_world;
    }

    int own_world_rank() const
    {
        return rank >= 0 && static_cast<std::size_t>(rank) < world.size()
            ? world[static_cast<std::size_t>(rank)]
            : outside_world;
    }

    /* Name set by MPI_Comm_set_name or by the library; may be empty. */
    std::string name() const
    {
        std::lock_guard<std::mutex> guard(name_lock_);
        return name_;
    }

  private:
    friend class Communicators;

    mutable std::mutex name_lock_;
    std::string name_;
};

/* Communicators that an instance has seen. The tool passes the functions that create and free them
 * through watch(), so that a reused handle is not mistaken for the old communicator. Thread-safe;
 * of() takes no lock for cached handles. */
class Communicators {
  public:
    using Shared = std::shared_ptr<const Communicator>;

    explicit Communicators(Detail detail = Detail::all);
    ~Communicators() =
        delete; /* other threads may be in a call when the process exits: see qmpi::forever */
    Communicators(const Communicators &) = delete;
    Communicators &operator=(const Communicators &) = delete;

    /* Ranks of the own world are counted from first, others tells the first one of another world, or a
     * negative number if its processes have none. Before communicators are used. */
    void count_from(int first, std::function<int(const std::string &world)> others)
    {
        first_ = first;
        first_of_ = std::move(others);
    }

    /* World ranks of a group's processes, or outside_world. */
    std::vector<int> ranks_of(MPI_Group group) const;

    /* Index of the parameter that returns a new handle; qmpi::none if there is none. */
    template <typename Call>
    static constexpr std::size_t makes(qmpi::role handle)
    {
        return index_of_made<Call>(handle);
    }

    /* True for functions that must go through watch(). */
    template <typename Call>
    static constexpr bool concerns()
    {
        return makes<Call>(qmpi::role::communicator) != qmpi::none ||
            makes<Call>(qmpi::role::window) != qmpi::none ||
            frees<Call>(qmpi::role::communicator) || frees<Call>(qmpi::role::window) ||
            Call::id == MPI_COMM_SET_NAME_T || uses_message<Call>() ||
            movement::makes_datatype<Call>();
    }

    /* These functions as a set. A template, since clang needs the complete class. */
    template <typename Self = Communicators>
    static constexpr qmpi::function_set functions()
    {
        return functions_that(
            [](auto *call) {
                return Self::template concerns<std::remove_pointer_t<decltype(call)>>();
            },
            qmpi::detail::function_ids());
    }

    /* Makes the call, and notes what it created or freed. Accepts any function. */
    template <typename Call>
    auto watch(Call &call)
    {
        if constexpr (!concerns<Call>())
            return call();
        else if constexpr (frees<Call>(qmpi::role::communicator))
            return watch_end(call, qmpi::get<qmpi::role::communicator>(call));
        else if constexpr (frees<Call>(qmpi::role::window))
            return watch_end(call, qmpi::get<qmpi::role::window>(call));
        else if constexpr (uses_message<Call>())
            return detail_ == Detail::all ? watch_message(call) : call();
        else if constexpr (movement::makes_datatype<Call>()) /* patterns.hpp needs their sizes */
            return movement::follow_datatype(call, [&call] { return call(); });
        else {
            const Shared used = used_by(call);
            const int error_code = call();
            if (error_code == MPI_SUCCESS)
                remember_made_by(call, used_by(call, used));
            return error_code;
        }
    }

    /* Communicator of a valid handle; nullptr for MPI_COMM_NULL and invalid handles. For one that a call
     * of the program uses see used_by(). */
    Shared of(MPI_Comm comm);

    /* Its shape; nullptr if unknown. Query before the call that uses it. Never asks the library. */
    QMPI_INLINE const Shape *shape_of(MPI_Comm comm)
    {
        const std::uint64_t handle = qmpi::handle_value(comm);
        const Slot &slot = slot_of(handle);
        if (__builtin_expect(slot.is_of(handle, generation_.load(std::memory_order_acquire)), 1))
            return slot.communicator->shape;
        const Shared found = look_up(handle);
        return found == nullptr ? nullptr : found->shape;
    }

    /* Communicator that a window was created with; nullptr if unknown. Query before the call. */
    Shared of_window(MPI_Win window);

    /* Communicator that a call uses, by its communicator, window or message; nullptr if none or
     * unknown. Query before the call: another thread may free the communicator while the call waits.
     * Never asks the library, since the handle may be invalid. */
    template <typename Call>
    Shared used_by(Call &call)
    {
        (void) call;
        if constexpr (Call::has(qmpi::role::communicator))
            return look_up(
                qmpi::handle_value(qmpi::get_or<qmpi::role::communicator>(call, MPI_COMM_NULL)));
        else if constexpr (Call::has(qmpi::role::window))
            return of_window(qmpi::get_or<qmpi::role::window>(call, MPI_WIN_NULL));
        else if constexpr (uses_message<Call>()) {
            const MPI_Message *message = qmpi::get<qmpi::role::message>(call);
            return message == nullptr ? nullptr : of_message(*message);
        } else
            return nullptr;
    }

    /* The same after the call succeeded; known: from before it. A communicator that was unknown is
     * predefined, or one that another tool has made for itself. */
    template <typename Call>
    Shared used_by(Call &call, Shared known)
    {
        if constexpr (Call::has(qmpi::role::communicator)) {
            if (known == nullptr)
                return of(qmpi::get_or<qmpi::role::communicator>(call, MPI_COMM_NULL));
        }
        (void) call;
        return known;
    }

    /* Communicator of a message from a matched probe; nullptr if unknown. Query before the call
     * that receives it. */
    Shared of_message(MPI_Message message);

    /* Stands for the communicator that a call is going to make of a group, or of two: the same id in all
     * members. nullptr if the process is not in the group, or not in the first. */
    template <typename Call>
    Shared to_make(Call &call)
    {
        MPI_Group remote = MPI_GROUP_NULL;
        if constexpr (Call::has(qmpi::role::group, 1))
            remote = qmpi::get<qmpi::role::group, 1>(call);
        return to_make(qmpi::get<qmpi::role::group>(call), remote,
                       origin_of(call, used_by(call, used_by(call))));
    }

    /* Snapshot of all, unordered. */
    std::vector<Shared> all() const;

  private:
    using Mutable = std::shared_ptr<Communicator>;

    static constexpr std::uint64_t no_origin = 0;

    /* Per-thread cache. It holds no reference, so that a thread may end at any time: an entry is valid
     * while the generation is unchanged, and until then the table holds the communicator. No thread
     * frees a communicator that another one looks up, since its call has not begun (MPI 4.0, 11.6.2). */
    struct Slot {
        std::uint64_t handle;
        std::uint64_t generation;
        const Communicator *communicator;

        QMPI_INLINE bool is_of(std::uint64_t wanted, std::uint64_t current) const
        {
            return handle == wanted && generation == current;
        }
    };

    QMPI_INLINE Slot &slot_of(std::uint64_t handle) const
    {
        return slots_[hash_of_handle(handle + number_) >> 60];
    }

    template <typename Call>
    static constexpr bool frees(qmpi::role handle)
    {
        return frees_handle<Call>(handle);
    }

    /* Matched probes and receives */
    template <typename Call>
    static constexpr bool uses_message()
    {
        return Call::has(qmpi::role::message) &&
            (Call::operation == qmpi::operation::probe ||
             Call::operation == qmpi::operation::receive);
    }

    /* Forget before the call: another thread may get the same handle at once. */
    template <typename Call, typename Handle>
    int watch_end(Call &call, const Handle *place)
    {
        const std::uint64_t handle = qmpi::handle_value(place == nullptr ? Handle() : *place);
        const Shared ending = forget(handle);
        const int error_code = call();
        if (error_code != MPI_SUCCESS && ending != nullptr)
            remember(handle, ending);
        return error_code;
    }

    template <typename Call>
    int watch_message(Call &call)
    {
        const MPI_Message *message = qmpi::get<qmpi::role::message>(call);
        if constexpr (Call::has(qmpi::role::communicator)) {
            const Shared used = used_by(call);
            const int error_code = call();
            bool has_message = error_code == MPI_SUCCESS;
            if constexpr (Call::has(qmpi::role::flag))
                has_message = has_message && *qmpi::get<qmpi::role::flag>(call);
            if (has_message)
                remember_message(*message, used_by(call, used));
            return error_code;
        } else {
            const MPI_Message received = message == nullptr ? MPI_MESSAGE_NULL : *message;
            const Shared sender = forget_message(received);
            const int error_code = call();
            if (error_code != MPI_SUCCESS && received != MPI_MESSAGE_NULL && *message == received)
                remember_message(received, sender);
            return error_code;
        }
    }

    /* used: by the call */
    template <typename Call>
    void remember_made_by(Call &call, const Shared &used)
    {
        constexpr std::size_t made = makes<Call>(qmpi::role::communicator);
        constexpr std::size_t window = makes<Call>(qmpi::role::window);
        if constexpr (Call::id == MPI_COMM_SET_NAME_T)
            rename(qmpi::get<qmpi::role::communicator>(call), used);
        else if constexpr (Call::form == qmpi::form::nonblocking)
            duplicated(*call.template argument<made>(), used);
        else if constexpr (made != qmpi::none)
            created(*call.template argument<made>(), Call::id != MPI_COMM_GET_PARENT_T);
        else if constexpr (window != qmpi::none)
            remember(qmpi::handle_value(*call.template argument<window>()), used);
    }

    /* Number that the members of the communicator which a call will make have in common. parent: used
     * by the call */
    template <typename Call>
    std::uint64_t origin_of(Call &call, const Shared &parent)
    {
        (void) call;
        if constexpr (Call::id == MPI_COMM_CREATE_FROM_GROUP_T)
            return origin_of(std::string(call.template argument<1>()));
        else if constexpr (Call::id == MPI_INTERCOMM_CREATE_FROM_GROUPS_T)
            return origin_of(std::string(call.template argument<4>()));
        else if constexpr (Call::id == MPI_COMM_CREATE_GROUP_T)
            return origin_of(std::to_string(qmpi::get<qmpi::role::tag>(call))) ^ origin_of(parent);
        else
            return origin_of(parent);
    }
    static std::uint64_t origin_of(const std::string &tag);
    static std::uint64_t origin_of(const Shared &parent)
    {
        return parent == nullptr ? no_origin : parent->id;
    }

    void created(MPI_Comm comm, bool is_new);
    /* remote: of an intercommunicator, or MPI_GROUP_NULL */
    Shared to_make(MPI_Group group, MPI_Group remote, std::uint64_t origin);
    /* The copy must not be queried before its request completes. */
    void duplicated(MPI_Comm copy, const Shared &original);
    void rename(MPI_Comm comm, const Shared &known);
    /* handle: bits of a communicator or a window */
    void remember(std::uint64_t handle, Shared communicator);
    Shared forget(std::uint64_t handle);
    void remember_message(MPI_Message message, Shared communicator);
    Shared forget_message(MPI_Message message);

    std::vector<int> counted(MPI_Group group, std::vector<int> ranks) const;

    Shared look_up(std::uint64_t handle);
    Shared find(std::uint64_t handle) const;
    Mutable describe(MPI_Comm comm);
    bool add_ranks(Communicator &communicator);
    Ranks shared(std::vector<int> ranks);
    std::uint64_t next_id(const Communicator &communicator, std::uint64_t number);
    /* Gives a copy that MPI_Comm_idup has made its id, when the program uses or frees it. */
    void complete(const Shared &copy);

    QMPI_DETAIL_HIDDEN static inline thread_local Slot slots_[16] = {};

    const Detail detail_;
    int first_ = 0;
    std::function<int(const std::string &world)> first_of_;
    const std::uint64_t number_;
    /* Changes whenever a handle changes its meaning; unique among all objects, for the threads' caches. */
    std::atomic<std::uint64_t> generation_{number_ << 40};

    mutable std::shared_mutex lock_;
    /* Communicators and windows: values are disjoint. */
    std::unordered_map<std::uint64_t, Shared> by_handle_;
    std::mutex messages_lock_;
    std::unordered_map<MPI_Message, Shared> by_message_;
    std::mutex making_lock_;
    /* How often members and number have come together. */
    std::unordered_map<std::uint64_t, std::uint64_t> times_;
    /* Ranks of the communicators' groups, by their hash. */
    std::unordered_map<std::uint64_t, std::weak_ptr<const std::vector<int>>> groups_;
};

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_COMMUNICATORS_HPP_INCLUDED */
