/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Follows requests from start to completion: Requests keeps a record of the tool for each,
 * complete() handles the functions that complete them. */

#ifndef QMPI_REQUESTS_HPP_INCLUDED
#define QMPI_REQUESTS_HPP_INCLUDED

#include "handles.hpp"
#include "process.hpp"
#include "spin_lock.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace qmpi {
inline namespace v1 {

/* Event of a request. */
enum class Outcome {
    starting, /* persistent, before MPI_Start or MPI_Startall; no status yet */
    started,  /* the same, after the call has succeeded */
    completed,
    cancelled,
    failed, /* the operation failed */
    freed   /* by MPI_Request_free: completion was not seen */
};

/* MPI_Start or MPI_Startall of a request that it must not start: before the call, complete() calls
 * visit(record, fault) if there is such a visit. */
enum class WrongStart { active, not_persistent };

/* A call with a request that has no record: complete() calls visit(request) before it if there is such a
 * visit. */
template <typename Visit>
void visit_unknown([[maybe_unused]] Visit &visit, [[maybe_unused]] MPI_Request request)
{
    if constexpr (std::is_invocable_v<Visit &, MPI_Request>) {
        if (request != MPI_REQUEST_NULL)
            visit(request);
    }
}

/* A record per request. Thread-safe.
 *
 * Several requests can have the same handle: the library uses one handle for all operations that
 * complete at once. Their records are interchangeable.
 *
 * The library may use a handle again as soon as it has completed the request, so a record leaves the
 * table before a call that may complete it. That of a persistent request stays until
 * MPI_Request_free: one thread may start the request while another one tests it. */
template <typename Record>
class Requests {
    struct Entry {
        MPI_Request request;
        bool is_persistent;
        bool is_active;
        bool has_ended;               /* active, but the end of the operation was visited */
        bool may_have_ended;          /* persistent: see finish() */
        bool is_held;                 /* a thread starts the operation, or visits the record */
        std::optional<Record> record; /* nothing if unused */
        Entry *next;                  /* in its bucket, or unused */
    };

  public:
    using Node = Entry *;

    /* A request before the call that may complete it. node: nullptr if it has no record */
    struct Candidate {
        Node node = nullptr;
        bool was_active = false;
    };

    Requests() = default;
    ~Requests() =
        delete; /* other threads may be in a call when the process exits: see qmpi::forever */
    Requests(const Requests &) = delete;
    Requests &operator=(const Requests &) = delete;

    /* Adds the request of a nonblocking operation. */
    void add(MPI_Request request, Record &&record)
    {
        insert(request, false, true, std::move(record));
    }

    /* Adds the request of an _init function, inactive until started. */
    void add_persistent(MPI_Request request, Record &&record)
    {
        insert(request, true, false, std::move(record));
    }

    /* The program cancels requests from now on. */
    void expect_cancelled() { can_be_cancelled_.store(true, std::memory_order_relaxed); }

    /* True if there are no records, so that no request needs to be looked up. */
    bool is_empty() const { return number_.load(std::memory_order_relaxed) == 0; }

    /* Calls visit(record) if the request has a record, and returns true then. For functions that
     * neither start nor complete it (MPI_Cancel, MPI_Pready, MPI_Parrived).
     * visit must not use this object. */
    template <typename Visit>
    bool visit(MPI_Request request, Visit visit)
    {
        const std::size_t hash = hash_of(request);
        Shard &shard = shard_of(hash);
        std::lock_guard<SpinLock> guard(shard.lock);
        const Node *found = shard.find(hash, request);
        if (found == nullptr)
            return false;
        visit(*(*found)->record);
        return true;
    }

    /* True for a persistent request that is not started. */
    bool is_inactive(MPI_Request request)
    {
        const std::size_t hash = hash_of(request);
        Shard &shard = shard_of(hash);
        std::lock_guard<SpinLock> guard(shard.lock);
        const Node *found = shard.find(hash, request);
        return found != nullptr && (*found)->is_persistent && !(*found)->is_active;
    }

    /* Calls visit(request, record, is_active) for each that was neither completed nor freed,
     * including inactive persistent ones. visit must not use this object. */
    template <typename Visit>
    void each(Visit visit)
    {
        for (Shard &shard : shards_) {
            std::lock_guard<SpinLock> guard(shard.lock);
            for (Node bucket : shard.buckets) {
                for (Node entry = bucket; entry != nullptr; entry = entry->next)
                    visit(entry->request, *entry->record, entry->is_active);
            }
        }
    }

    /* ---- for complete() below ---- */

    /* Removes a record before the call that may complete its request, unless it is persistent. The
     * candidate must go to put_back() or finish(). */
    Candidate take(MPI_Request request)
    {
        const std::size_t hash = hash_of(request);
        Shard &shard = shard_of(hash);
        for (;; std::this_thread::yield()) {
            const std::lock_guard<SpinLock> guard(shard.lock);
            Node *const found = shard.find(hash, request);
            if (found == nullptr)
                return {};
            const Node node = *found;
            if (node->is_persistent)
                return {node, node->is_active && !node->is_held};
            if (node->is_held)
                continue;
            shard.remove(found);
            return {node, node->is_active};
        }
    }

    void put_back(const Candidate &candidate)
    {
        if (!candidate.node->is_persistent)
            insert(candidate.node);
    }

    /* Removes the record of a request that MPI_Request_free is about to free. The node must go to
     * insert() or drop(). */
    Node remove(MPI_Request request)
    {
        Node node = nullptr;
        when_not_held(request, [&](Shard &shard, Node *place) {
            node = *place;
            shard.remove(place);
        });
        return node;
    }

    /* Holds the record of a persistent request before the call that starts it; the node must go to
     * end_start(). None if the request is another one, or active already; see WrongStart. */
    template <typename Visit>
    Node begin_start(MPI_Request request, Visit &visit)
    {
        const std::size_t hash = hash_of(request);
        Shard &shard = shard_of(hash);
        Node node = nullptr;
        bool is_wrong = false, is_over = false;
        {
            const std::lock_guard<SpinLock> guard(shard.lock);
            const Node *found = shard.find(hash, request);
            if (found != nullptr && (*found)->is_held)
                return nullptr;
            if (found != nullptr) {
                node = *found;
                is_over = node->is_active && node->may_have_ended;
                is_wrong = !node->is_persistent || (node->is_active && !is_over);
                if (!is_wrong)
                    is_over = is_over && !std::exchange(node->has_ended, false);
                node->is_held = true;
                node->is_active |= node->is_persistent;
                node->may_have_ended = false;
            }
        }
        if (node == nullptr) {
            visit_unknown(visit, request);
            return nullptr;
        }
        if (is_wrong) {
            const Hold hold(*this, node, Then::unchanged);
            if constexpr (std::is_invocable_v<Visit &, Record &, WrongStart>)
                visit(*node->record,
                      node->is_persistent ? WrongStart::active : WrongStart::not_persistent);
            return nullptr;
        }
        if (is_over)
            visit(*node->record, static_cast<const MPI_Status *>(nullptr), Outcome::freed);
        visit(*node->record, static_cast<const MPI_Status *>(nullptr), Outcome::starting);
        return node;
    }

    template <typename Visit>
    void end_start(Node node, int error_code, Visit &visit)
    {
        const bool has_failed = error_code != MPI_SUCCESS;
        const Hold hold(*this, node, has_failed ? Then::inactive : Then::unchanged);
        MPI_Status status{};
        status.MPI_ERROR = error_code;
        visit(*node->record, has_failed ? &status : nullptr,
              has_failed ? Outcome::failed : Outcome::started);
    }

    /* Ends the operation of a candidate, which has this status and error. A function of one request
     * leaves MPI_ERROR of the status unchanged (MPI 4.0, 3.2.5). */
    template <typename Visit>
    void finish(const Candidate &candidate, const MPI_Status &status, int error_code, Visit &visit)
    {
        if (error_code != MPI_SUCCESS) {
            MPI_Status failed{};
            failed.MPI_ERROR = error_code;
            finish(candidate, &failed, Outcome::failed, visit);
            return;
        }
        /* Another thread has started the persistent request since: an empty status is that of the
         * inactive request. The status of a send may be empty in any case. */
        if (candidate.node->is_persistent && !candidate.was_active &&
            status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG) {
            const std::lock_guard<SpinLock> guard(shard_of(candidate.node).lock);
            candidate.node->may_have_ended = candidate.node->is_active;
            return;
        }
        int is_cancelled = 0;
        if (can_be_cancelled_.load(std::memory_order_relaxed))
            QMPI_Test_cancelled(&status, &is_cancelled);
        finish(candidate, &status, is_cancelled ? Outcome::cancelled : Outcome::completed, visit);
    }

    /* The same with a known outcome. */
    template <typename Visit>
    void finish(const Candidate &candidate, const MPI_Status *status, Outcome outcome, Visit &visit)
    {
        const Node node = candidate.node;
        if (node->is_persistent)
            end_held(node, status, outcome, visit);
        else
            drop(node, status, outcome, visit);
    }

    /* Ends the operation of a request that stays, as MPI_Request_get_status leaves it. */
    template <typename Visit>
    void finish(MPI_Request request, const MPI_Status &status, Visit &visit)
    {
        Candidate candidate;
        when_not_held(request, [&](Shard &, Node *place) {
            candidate = {*place, (*place)->is_active && !(*place)->has_ended};
            (*place)->is_held = candidate.was_active;
        });
        if (!candidate.was_active)
            return;
        const Hold hold(*this, candidate.node, Then::ended);
        int is_cancelled = 0;
        QMPI_Test_cancelled(&status, &is_cancelled);
        visit(*candidate.node->record, &status,
              is_cancelled ? Outcome::cancelled : Outcome::completed);
    }

    /* Ends the operation of a removed record. */
    template <typename Visit>
    void drop(Node node, const MPI_Status *status, Outcome outcome, Visit &visit)
    {
        if (node->is_active && !node->has_ended)
            visit(*node->record, status, outcome);
        node->record.reset();
        Shard &shard = shard_of(node);
        {
            std::lock_guard<SpinLock> guard(shard.lock);
            node->next = shard.unused;
            shard.unused = node;
        }
        number_.fetch_sub(1, std::memory_order_relaxed);
    }

    void insert(Node node)
    {
        const std::size_t hash = hash_of(node->request);
        Shard &shard = shard_of(hash);
        std::lock_guard<SpinLock> guard(shard.lock);
        shard.insert(hash, node);
    }

  private:
    static constexpr std::size_t number_of_shards = 32; /* reduce contention between threads */

    struct alignas(64) Shard {
        SpinLock lock;
        std::vector<Node> buckets; /* a power of two */
        std::size_t size = 0;
        Node unused = nullptr;
        std::vector<std::unique_ptr<Entry>> all;

        Node *find(std::size_t hash, MPI_Request request)
        {
            if (size == 0)
                return nullptr;
            Node *node = &bucket_of(hash);
            while (*node != nullptr && (*node)->request != request)
                node = &(*node)->next;
            return *node == nullptr ? nullptr : node;
        }

        void insert(std::size_t hash, Node node)
        {
            if (size >= buckets.size())
                grow();
            Node &bucket = bucket_of(hash);
            node->next = bucket;
            bucket = node;
            size++;
        }

        void remove(Node *place)
        {
            *place = (*place)->next;
            size--;
        }

        Node get_unused()
        {
            const Node node = unused;
            if (node != nullptr) {
                unused = node->next;
                return node;
            }
            all.push_back(std::make_unique<Entry>());
            return all.back().get();
        }

      private:
        Node &bucket_of(std::size_t hash)
        {
            return buckets[(hash / number_of_shards) & (buckets.size() - 1)];
        }

        void grow()
        {
            std::vector<Node> old(std::max<std::size_t>(2 * buckets.size(), 16));
            old.swap(buckets);
            size = 0;
            for (Node bucket : old) {
                while (bucket != nullptr) {
                    const Node node = bucket;
                    bucket = node->next;
                    insert(hash_of(node->request), node);
                }
            }
        }
    };

    static std::size_t hash_of(MPI_Request request)
    {
        return static_cast<std::size_t>(hash_of_handle(request) >> 32);
    }

    Shard &shard_of(std::size_t hash) { return shards_[hash % number_of_shards]; }
    Shard &shard_of(Node node) { return shard_of(hash_of(node->request)); }

    /* State of a request after its record is released. */
    enum class Then { unchanged, ended, inactive };

    /* Releases a held record. */
    class Hold {
      public:
        Hold(Requests &requests, Node node, Then then)
            : shard_(requests.shard_of(node)), node_(node), then_(then)
        {
        }
        Hold(const Hold &) = delete;
        Hold &operator=(const Hold &) = delete;

        ~Hold()
        {
            const std::lock_guard<SpinLock> guard(shard_.lock);
            node_->is_held = false;
            if (then_ != Then::unchanged)
                node_->has_ended = then_ == Then::ended;
            if (then_ == Then::inactive)
                node_->is_active = false;
        }

      private:
        Shard &shard_;
        const Node node_;
        const Then then_;
    };

    /* Calls use(shard, place) if the request has a record, when no other thread holds it. A thread that
     * holds a record waits for no other one. */
    template <typename Use>
    void when_not_held(MPI_Request request, Use use)
    {
        const std::size_t hash = hash_of(request);
        Shard &shard = shard_of(hash);
        for (;; std::this_thread::yield()) {
            std::lock_guard<SpinLock> guard(shard.lock);
            Node *const found = shard.find(hash, request);
            if (found != nullptr && (*found)->is_held)
                continue;
            if (found != nullptr)
                use(shard, found);
            return;
        }
    }

    /* Ends the operation of a persistent request, unless it is inactive. */
    template <typename Visit>
    void end_held(Node node, const MPI_Status *status, Outcome outcome, Visit &visit)
    {
        Shard &shard = shard_of(node);
        for (bool is_held = false; !is_held;) {
            {
                const std::lock_guard<SpinLock> guard(shard.lock);
                if (!node->is_held && !node->is_active)
                    return;
                is_held = !std::exchange(node->is_held, true);
            }
            if (!is_held)
                std::this_thread::yield();
        }
        const Hold hold(*this, node, Then::inactive);
        if (!node->has_ended)
            visit(*node->record, status, outcome);
    }

    void insert(MPI_Request request, bool is_persistent, bool is_active, Record &&record)
    {
        if (request == MPI_REQUEST_NULL)
            return;
        number_.fetch_add(1, std::memory_order_relaxed);
        const std::size_t hash = hash_of(request);
        Shard &shard = shard_of(hash);
        std::lock_guard<SpinLock> guard(shard.lock);
        const Node node = shard.get_unused();
        node->request = request;
        node->is_persistent = is_persistent;
        node->is_active = is_active;
        node->has_ended = node->may_have_ended = node->is_held = false;
        node->record.emplace(std::move(record));
        shard.insert(hash, node);
    }

    std::atomic<std::size_t> number_{0};
    std::atomic<bool> can_be_cancelled_{false};
    std::array<Shard, number_of_shards> shards_;
};

/* Is an error code of this class (MPI_ERR_TRUNCATE and the like)? Thread-safe. */
inline bool is_of_class(int error_code, int error_class)
{
    int found = MPI_SUCCESS;
    return error_code != MPI_SUCCESS && QMPI_Error_class(error_code, &found) == MPI_SUCCESS &&
        found == error_class;
}

/* The functions are not inlined: a call without followed requests must not pay for them. */
namespace requests_detail {

/* Flag of MPI_Test... */
template <typename Call>
bool is_flag_set(Call &call)
{
    if constexpr (Call::has(qmpi::role::flag))
        return *qmpi::get<qmpi::role::flag>(call) != 0;
    else
        return true;
}

/* The one request of a call, or MPI_REQUEST_NULL if the arguments are invalid. */
template <typename Call>
MPI_Request request_of(Call &call)
{
    const auto request = qmpi::get<qmpi::role::request>(call);
    if constexpr (std::is_same_v<decltype(request), const MPI_Request>)
        return request;
    else
        return request == nullptr ? MPI_REQUEST_NULL : *request;
}

/* MPI_Wait, MPI_Test */
template <typename Call, typename Record, typename Visit>
[[gnu::noinline]] int complete_one(Call &call, Requests<Record> &requests, Visit &visit)
{
    const MPI_Request *request = qmpi::get<qmpi::role::request>(call);
    const auto candidate = requests.take(request_of(call));
    if (candidate.node == nullptr) {
        visit_unknown(visit, request_of(call));
        return call();
    }

    MPI_Status own_status{};
    MPI_Status *&status = qmpi::get<qmpi::role::status>(call);
    if (status == MPI_STATUS_IGNORE)
        status = &own_status;
    const int error_code = call();
    const bool has_ended = error_code == MPI_SUCCESS
        ? is_flag_set(call)
        : *request == MPI_REQUEST_NULL || candidate.node->is_persistent;
    if (has_ended)
        requests.finish(candidate, *status, error_code, visit);
    else
        requests.put_back(candidate);
    return error_code;
}

/* The operation may have completed, even with an error, which a query would pass to the program's
 * error handler. */
template <typename Call, typename Record, typename Visit>
[[gnu::noinline]] int free(Call &call, Requests<Record> &requests, Visit &visit)
{
    const auto node = requests.remove(request_of(call));
    if (node == nullptr)
        visit_unknown(visit, request_of(call));
    const int error_code = call();
    if (node == nullptr)
        return error_code;
    if (error_code == MPI_SUCCESS)
        requests.drop(node, nullptr, Outcome::freed, visit);
    else
        requests.insert(node);
    return error_code;
}

template <typename Call, typename Record, typename Visit>
[[gnu::noinline]] int start(Call &call, Requests<Record> &requests, Visit &visit)
{
    using Node = typename Requests<Record>::Node;
    const int number = qmpi::get_or<qmpi::role::length>(call, 1);
    const MPI_Request *handles = qmpi::get<qmpi::role::request>(call);
    Node one = nullptr; /* the usual case needs no memory */
    std::vector<Node> several(number > 1 ? static_cast<std::size_t>(number) : 0);
    Node *const nodes = number > 1 ? several.data() : &one;
    for (int i = 0; i < number && handles != nullptr; i++)
        nodes[i] = requests.begin_start(handles[i], visit);
    const int error_code = call();
    for (int i = 0; i < number; i++) {
        if (nodes[i] != nullptr)
            requests.end_start(nodes[i], error_code, visit);
    }
    return error_code;
}

/* Own index of a call that completes any of its requests, until it returns. It shows whether a call that
 * fails has completed one: the library sets it then. */
template <typename Call>
class OwnIndex {
  public:
    explicit OwnIndex(Call &call) : place_(qmpi::get<qmpi::role::index>(call)), given_(place_)
    {
        if (given_ != nullptr)
            place_ = &value_;
    }

    ~OwnIndex()
    {
        if (given_ != nullptr && value_ != unset)
            *given_ = value_;
        place_ = given_;
    }

    OwnIndex(const OwnIndex &) = delete;
    OwnIndex &operator=(const OwnIndex &) = delete;

    bool is_of_request() const { return value_ != unset && value_ != MPI_UNDEFINED; }
    int value() const { return value_; }

  private:
    static constexpr int unset = std::numeric_limits<int>::min();

    int *&place_;
    int *const given_;
    int value_ = unset;
};

inline constexpr std::size_t few_requests = 8;

/* Functions that complete several requests. */
template <typename Call, typename Record, typename Visit>
[[gnu::noinline]] int complete_several(Call &call, Requests<Record> &requests, Visit &visit)
{
    constexpr bool takes_all = Call::request_scope() == qmpi::scope::all;
    constexpr bool takes_any = Call::request_scope() == qmpi::scope::any;
    const int number = qmpi::get<qmpi::role::length>(call);
    const MPI_Request *handles = qmpi::get<qmpi::role::request>(call);
    const std::size_t size =
        number > 0 && handles != nullptr ? static_cast<std::size_t>(number) : 0;
    std::vector<typename Requests<Record>::Candidate> candidates;
    std::vector<MPI_Request> copies;
    bool is_any_known = false;

    /* While only one thread calls MPI, no handle is used again meanwhile: only the requests that the call
     * completes need to be looked up. */
    if (size >= few_requests && !can_threads_call()) {
        copies.assign(handles, handles + size);
        is_any_known = true;
    } else
        candidates.resize(size);
    for (std::size_t i = 0; i < candidates.size(); i++) {
        if (handles[i] == MPI_REQUEST_NULL)
            continue;
        candidates[i] = requests.take(handles[i]);
        if (candidates[i].node == nullptr)
            visit_unknown(visit, handles[i]);
        is_any_known = is_any_known || candidates[i].node != nullptr;
    }
    if (!is_any_known)
        return call();

    std::vector<MPI_Status> own_statuses;
    MPI_Status *&statuses = qmpi::get<qmpi::role::status>(call);
    if (statuses == MPI_STATUSES_IGNORE) {
        own_statuses.resize(takes_any ? 1 : size);
        statuses = own_statuses.data();
    }
    auto finish = [&](int index, const MPI_Status &status, int own_error) {
        const auto i = static_cast<std::size_t>(index);
        if (own_error == MPI_ERR_PENDING)
            return;
        const auto candidate =
            copies.empty() ? std::exchange(candidates[i], {}) : requests.take(copies[i]);
        if (candidate.node != nullptr)
            requests.finish(candidate, status, own_error, visit);
    };
    const auto make = [&] {
        if constexpr (takes_any) {
            const OwnIndex index(call);
            const int error_code = call();
            if (index.is_of_request() && (error_code != MPI_SUCCESS || is_flag_set(call)))
                finish(index.value(), *statuses, error_code);
            return error_code;
        } else
            return call();
    };
    const int error_code = make();
    const bool is_each_told = is_of_class(error_code, MPI_ERR_IN_STATUS);
    [[maybe_unused]] const auto error_of = [&](const MPI_Status &status, bool is_only = false) {
        /* MPICH 5.0 does not tell the error of a persistent request. */
        if (is_each_told && is_only && status.MPI_ERROR == MPI_SUCCESS)
            return error_code;
        return is_each_told ? status.MPI_ERROR : MPI_SUCCESS;
    };
    if (error_code != MPI_SUCCESS && !is_each_told) {
        /* Handles show which ones completed. */
        const MPI_Status empty{};
        for (int i = 0; i < number; i++) {
            if (handles[i] == MPI_REQUEST_NULL)
                finish(i, empty, error_code);
        }
    } else if constexpr (takes_all) {
        for (int i = 0; is_flag_set(call) && i < number; i++)
            finish(i, statuses[i], error_of(statuses[i]));
    } else if constexpr (!takes_any) {
        const int completed = *qmpi::get<qmpi::role::length, 1>(call);
        const int *indices = qmpi::get<qmpi::role::index>(call);
        for (int i = 0; completed != MPI_UNDEFINED && i < completed; i++)
            finish(indices[i], statuses[i], error_of(statuses[i], completed == 1));
    }
    for (const auto &candidate : candidates) {
        if (candidate.node != nullptr)
            requests.put_back(candidate);
    }
    return error_code;
}

/* Functions that make a stream complete requests, later and unseen. */
template <typename Call, typename Record, typename Visit>
[[gnu::noinline]] int enqueue(Call &call, Requests<Record> &requests, Visit &visit)
{
    const int number = qmpi::get_or<qmpi::role::length>(call, 1);
    const MPI_Request *handles = qmpi::get<qmpi::role::request>(call);
    std::vector<typename Requests<Record>::Candidate> candidates;
    for (int i = 0; i < number && handles != nullptr; i++)
        candidates.push_back(requests.take(handles[i]));
    const int error_code = call();
    for (const auto &candidate : candidates) {
        if (candidate.node == nullptr)
            continue;
        if (error_code == MPI_SUCCESS)
            requests.finish(candidate, nullptr, Outcome::freed, visit);
        else
            requests.put_back(candidate);
    }
    return error_code;
}

/* MPI_Request_get_status and its like: operations may end, but their requests stay. */
template <typename Call, typename Record, typename Visit>
[[gnu::noinline]] int get_status(Call &call, Requests<Record> &requests, Visit &visit)
{
    constexpr qmpi::scope scope = Call::request_scope();
    const int number = qmpi::get_or<qmpi::role::length>(call, 1);
    std::vector<MPI_Status> own_statuses;
    MPI_Status *&statuses = qmpi::get<qmpi::role::status>(call);
    if (statuses == MPI_STATUSES_IGNORE) {
        own_statuses.resize(static_cast<std::size_t>(std::max(number, 1)));
        statuses = own_statuses.data();
    }
    const int error_code = call();
    if (error_code != MPI_SUCCESS)
        return error_code;
    const auto handles = qmpi::get<qmpi::role::request>(call);
    if constexpr (scope == qmpi::scope::some) {
        const int completed = *qmpi::get<qmpi::role::length, 1>(call);
        const int *indices = qmpi::get<qmpi::role::index>(call);
        for (int i = 0; completed != MPI_UNDEFINED && i < completed; i++)
            requests.finish(handles[indices[i]], statuses[i], visit);
    } else if (!is_flag_set(call))
        return error_code;
    else if constexpr (scope == qmpi::scope::one)
        requests.finish(handles, *statuses, visit);
    else if constexpr (scope == qmpi::scope::any) {
        if (const int index = *qmpi::get<qmpi::role::index>(call); index != MPI_UNDEFINED)
            requests.finish(handles[index], *statuses, visit);
    } else {
        for (int i = 0; i < number; i++)
            requests.finish(handles[i], statuses[i], visit);
    }
    return error_code;
}

/* Without any records. */
template <typename Call, typename Visit>
void visit_all_unknown(Call &call, Visit &visit)
{
    if constexpr (!std::is_invocable_v<Visit &, MPI_Request>)
        (void) call, (void) visit;
    else if constexpr (Call::request_scope() == qmpi::scope::one)
        visit_unknown(visit, request_of(call));
    else {
        const int number = qmpi::get<qmpi::role::length>(call);
        const MPI_Request *handles = qmpi::get<qmpi::role::request>(call);
        for (int i = 0; i < number && handles != nullptr; i++)
            visit_unknown(visit, handles[i]);
    }
}

}  // namespace requests_detail

/* True for the functions that complete() handles: they start, complete, cancel, free or query requests
 * that exist already. */
template <typename Call>
constexpr bool uses_requests()
{
    using qmpi::operation;
    return Call::request_scope() != qmpi::scope::none &&
        (Call::operation == operation::start || Call::operation == operation::wait ||
         Call::operation == operation::test || Call::operation == operation::status ||
         Call::operation == operation::free || Call::operation == operation::cancel);
}

/* Makes the call, and calls visit(record, status, outcome) for each request with a record that it
 * starts (before the call), started, completed or freed:
 *
 *     visit(Record &record, const MPI_Status *status, Outcome outcome)
 *
 * status is set (even if the program passed MPI_STATUS_IGNORE) except for starting, started and freed;
 * after failed only its MPI_ERROR is valid. Then the record is dropped, or kept if the request is
 * persistent. visit may use the table. The program sees no difference. Accepts any function. */
template <typename Call, typename Record, typename Visit>
auto complete(Call &call, Requests<Record> &requests, Visit visit)
{
    using qmpi::operation;
    if constexpr (!uses_requests<Call>())
        return call();
    else {
        if (requests.is_empty()) {
            requests_detail::visit_all_unknown(call, visit);
            return call();
        }
        if constexpr (Call::operation == operation::cancel) {
            requests.expect_cancelled();
            return call();
        } else if constexpr (Call::operation == operation::start)
            return requests_detail::start(call, requests, visit);
        else if constexpr (Call::operation == operation::free)
            return requests_detail::free(call, requests, visit);
        else if constexpr (Call::operation == operation::status)
            return requests_detail::get_status(call, requests, visit);
        else if constexpr (Call::form == qmpi::form::enqueued)
            return requests_detail::enqueue(call, requests, visit);
        else if constexpr (Call::request_scope() == qmpi::scope::one)
            return requests_detail::complete_one(call, requests, visit);
        else
            return requests_detail::complete_several(call, requests, visit);
    }
}

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_REQUESTS_HPP_INCLUDED */
