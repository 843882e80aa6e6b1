/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Follows requests from start to completion: Requests keeps a record of the tool for each,
 * complete() handles the functions that complete them. */

#ifndef QMPI_REQUESTS_HPP_INCLUDED
#define QMPI_REQUESTS_HPP_INCLUDED

#include "handles.hpp"
#include "spin_lock.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace qmpi {

/* Event of a request. */
enum class Outcome {
    starting, /* persistent, before MPI_Start or MPI_Startall; no status yet */
    started,  /* the same, after the call has succeeded */
    completed,
    cancelled,
    failed, /* the operation failed */
    freed   /* by MPI_Request_free while active: completion is never seen */
};

/* MPI_Start or MPI_Startall of a request that it must not start: before the call, complete() calls
 * visit(record, fault) if there is such a visit. */
enum class WrongStart { active, not_persistent };

/* A record per request. Thread-safe.
 *
 * Several requests can have the same handle: the library uses one handle for all operations that
 * complete at once. Their records are interchangeable. */
template <typename Record>
class Requests {
    struct Entry {
        MPI_Request request;
        bool is_persistent;
        bool is_active;
        std::optional<Record> record; /* nothing if unused */
        Entry *next;                  /* in its bucket, or unused */
    };

  public:
    /* A record removed from the table, or nullptr. */
    using Node = Entry *;

    Requests() = default;
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
     * neither start nor complete it (MPI_Cancel, MPI_Pready, MPI_Parrived, MPI_Request_get_status).
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

    /* Removes a record before the call that may complete its request: another thread may get the
     * same handle as soon as the library frees it. The node must go to put_back() or finish(). */
    Node take(MPI_Request request)
    {
        const std::size_t hash = hash_of(request);
        Shard &shard = shard_of(hash);
        std::lock_guard<SpinLock> guard(shard.lock);
        Node *const found = shard.find(hash, request);
        if (found == nullptr)
            return nullptr;
        const Node node = *found;
        *found = node->next;
        shard.size--;
        return node;
    }

    void put_back(Node node)
    {
        const std::size_t hash = hash_of(node->request);
        Shard &shard = shard_of(hash);
        std::lock_guard<SpinLock> guard(shard.lock);
        shard.insert(hash, node);
    }

    /* Removes a record before the call that starts its persistent request; the node must go to
     * end_start(). None if the request is another one, or active already; see WrongStart. */
    template <typename Visit>
    Node begin_start(MPI_Request request, Visit &visit)
    {
        const Node node = take(request);
        if (node == nullptr)
            return nullptr;
        if (!node->is_persistent || node->is_active) {
            if constexpr (std::is_invocable_v<Visit &, Record &, WrongStart>)
                visit(*node->record,
                      node->is_persistent ? WrongStart::active : WrongStart::not_persistent);
            put_back(node);
            return nullptr;
        }
        node->is_active = true;
        visit(*node->record, static_cast<const MPI_Status *>(nullptr), Outcome::starting);
        return node;
    }

    template <typename Visit>
    void end_start(Node node, int error_code, Visit &visit)
    {
        if (error_code != MPI_SUCCESS) {
            finish(node, MPI_Status{}, error_code, visit);
            return;
        }
        visit(*node->record, static_cast<const MPI_Status *>(nullptr), Outcome::started);
        put_back(node);
    }

    /* Ends the operation of a removed record, which has this status and error. A function of one
     * request leaves MPI_ERROR of the status as it was (MPI 4.0, 3.2.5). */
    template <typename Visit>
    void finish(Node node, const MPI_Status &status, int error_code, Visit &visit)
    {
        if (error_code != MPI_SUCCESS) {
            MPI_Status failed{};
            failed.MPI_ERROR = error_code;
            finish(node, &failed, Outcome::failed, visit);
            return;
        }
        int is_cancelled = 0;
        if (can_be_cancelled_.load(std::memory_order_relaxed))
            QMPI_Test_cancelled(&status, &is_cancelled);
        finish(node, &status, is_cancelled ? Outcome::cancelled : Outcome::completed, visit);
    }

    /* The same with a known outcome. */
    template <typename Visit>
    void finish(Node node, const MPI_Status *status, Outcome outcome, Visit &visit)
    {
        if (node->is_active)
            visit(*node->record, status, outcome);
        node->is_active = false;
        if (node->is_persistent && outcome != Outcome::freed)
            put_back(node);
        else
            drop(node);
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
        node->record.emplace(std::move(record));
        shard.insert(hash, node);
    }

    void drop(Node node)
    {
        node->record.reset();
        Shard &shard = shard_of(hash_of(node->request));
        {
            std::lock_guard<SpinLock> guard(shard.lock);
            node->next = shard.unused;
            shard.unused = node;
        }
        number_.fetch_sub(1, std::memory_order_relaxed);
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

/* Record of the call's request; nothing if the arguments are invalid. */
template <typename Call, typename Record>
auto take_one(Call &call, Requests<Record> &requests)
{
    const MPI_Request *request = qmpi::get<qmpi::role::request>(call);
    return requests.take(request == nullptr ? MPI_REQUEST_NULL : *request);
}

/* MPI_Wait, MPI_Test */
template <typename Call, typename Record, typename Visit>
[[gnu::noinline]] int complete_one(Call &call, Requests<Record> &requests, Visit &visit)
{
    const MPI_Request *request = qmpi::get<qmpi::role::request>(call);
    auto node = take_one(call, requests);
    if (node == nullptr)
        return call();

    MPI_Status own_status{};
    MPI_Status *&status = qmpi::get<qmpi::role::status>(call);
    if (status == MPI_STATUS_IGNORE)
        status = &own_status;
    const int error_code = call();
    const bool has_ended = error_code == MPI_SUCCESS
        ? is_flag_set(call)
        : *request == MPI_REQUEST_NULL || node->is_persistent;
    if (has_ended)
        requests.finish(node, *status, error_code, visit);
    else
        requests.put_back(node);
    return error_code;
}

/* If the operation is already complete, MPI_Request_free completes it like MPI_Wait. */
template <typename Call, typename Record, typename Visit>
[[gnu::noinline]] int free(Call &call, Requests<Record> &requests, Visit &visit)
{
    auto node = take_one(call, requests);
    if (node == nullptr)
        return call();

    MPI_Status status{};
    int is_complete = 0;
    const int status_error = QMPI_Request_get_status(node->request, &is_complete, &status);
    const int error_code = call();
    if (error_code != MPI_SUCCESS) {
        requests.put_back(node);
        return error_code;
    }
    /* Removes the record of a persistent request too. */
    node->is_persistent = false;
    if (is_complete)
        requests.finish(node, status, status_error, visit);
    else
        requests.finish(node, nullptr, Outcome::freed, visit);
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

/* Functions that complete several requests. */
template <typename Call, typename Record, typename Visit>
[[gnu::noinline]] int complete_several(Call &call, Requests<Record> &requests, Visit &visit)
{
    constexpr bool takes_all = Call::request_scope() == qmpi::scope::all;
    constexpr bool takes_any = Call::request_scope() == qmpi::scope::any;
    const int number = qmpi::get<qmpi::role::length>(call);
    const MPI_Request *handles = qmpi::get<qmpi::role::request>(call);
    std::vector<typename Requests<Record>::Node> nodes(
        number > 0 && handles != nullptr ? static_cast<std::size_t>(number) : 0);
    bool is_any_known = false;

    for (std::size_t i = 0; i < nodes.size(); i++) {
        if (handles[i] != MPI_REQUEST_NULL)
            nodes[i] = requests.take(handles[i]);
        is_any_known = is_any_known || nodes[i] != nullptr;
    }
    if (!is_any_known)
        return call();

    std::vector<MPI_Status> own_statuses;
    MPI_Status *&statuses = qmpi::get<qmpi::role::status>(call);
    if (statuses == MPI_STATUSES_IGNORE) {
        own_statuses.resize(takes_any ? 1 : nodes.size());
        statuses = own_statuses.data();
    }
    const int error_code = call();
    const bool is_each_told = is_of_class(error_code, MPI_ERR_IN_STATUS);

    auto finish = [&](int index, const MPI_Status &status) {
        auto &node = nodes[static_cast<std::size_t>(index)];
        const int own_error = is_each_told ? status.MPI_ERROR : error_code;
        if (node == nullptr || own_error == MPI_ERR_PENDING)
            return;
        requests.finish(std::exchange(node, nullptr), status, own_error, visit);
    };
    if (error_code != MPI_SUCCESS && !is_each_told) {
        /* Handles show which ones completed. */
        static const MPI_Status empty{};
        for (int i = 0; i < number; i++) {
            if (handles[i] == MPI_REQUEST_NULL)
                finish(i, empty);
        }
    } else if constexpr (takes_all) {
        for (int i = 0; is_flag_set(call) && i < number; i++)
            finish(i, statuses[i]);
    } else if constexpr (takes_any) {
        const int index = *qmpi::get<qmpi::role::index>(call);
        if (is_flag_set(call) && index != MPI_UNDEFINED)
            finish(index, *statuses);
    } else {
        const int completed = *qmpi::get<qmpi::role::length, 1>(call);
        const int *indices = qmpi::get<qmpi::role::index>(call);
        for (int i = 0; completed != MPI_UNDEFINED && i < completed; i++)
            finish(indices[i], statuses[i]);
    }
    for (auto &node : nodes) {
        if (node != nullptr)
            requests.put_back(node);
    }
    return error_code;
}

/* Functions that make a stream complete requests, later and unseen. */
template <typename Call, typename Record, typename Visit>
[[gnu::noinline]] int enqueue(Call &call, Requests<Record> &requests, Visit &visit)
{
    const int number = qmpi::get_or<qmpi::role::length>(call, 1);
    const MPI_Request *handles = qmpi::get<qmpi::role::request>(call);
    std::vector<typename Requests<Record>::Node> nodes;
    for (int i = 0; i < number && handles != nullptr; i++)
        nodes.push_back(requests.take(handles[i]));
    const int error_code = call();
    for (auto &node : nodes) {
        if (node == nullptr)
            continue;
        if (error_code == MPI_SUCCESS)
            requests.finish(node, nullptr, Outcome::freed, visit);
        else
            requests.put_back(node);
    }
    return error_code;
}

}  // namespace requests_detail

/* True for the functions that complete() handles: they start, complete, cancel or free requests that
 * exist already. */
template <typename Call>
constexpr bool uses_requests()
{
    using qmpi::operation;
    return Call::request_scope() != qmpi::scope::none &&
        (Call::operation == operation::start || Call::operation == operation::wait ||
         Call::operation == operation::test || Call::operation == operation::free ||
         Call::operation == operation::cancel);
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
        if (requests.is_empty())
            return call();
        if constexpr (Call::operation == operation::cancel) {
            requests.expect_cancelled();
            return call();
        } else if constexpr (Call::operation == operation::start)
            return requests_detail::start(call, requests, visit);
        else if constexpr (Call::operation == operation::free)
            return requests_detail::free(call, requests, visit);
        else if constexpr (Call::form == qmpi::form::enqueued)
            return requests_detail::enqueue(call, requests, visit);
        else if constexpr (Call::request_scope() == qmpi::scope::one)
            return requests_detail::complete_one(call, requests, visit);
        else
            return requests_detail::complete_several(call, requests, visit);
    }
}

}  // namespace qmpi

#endif /* QMPI_REQUESTS_HPP_INCLUDED */
