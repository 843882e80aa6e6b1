/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Follows requests from start to completion: Requests keeps a record of the tool for each,
 * complete() handles the functions that complete them. */

#ifndef TOOLS_REQUESTS_HPP_INCLUDED
#define TOOLS_REQUESTS_HPP_INCLUDED

#include <qmpi.hpp>

#include <array>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tools {

/* Event of a request. */
enum class Outcome {
    started, /* persistent, by MPI_Start or MPI_Startall; no status yet */
    completed,
    cancelled,
    failed, /* the operation failed */
    freed   /* by MPI_Request_free while active: completion is never seen */
};

/* A record per request. Thread-safe.
 *
 * Several requests can have the same handle: the library uses one handle for all operations that
 * complete at once. Their records are interchangeable. */
template <typename Record>
class Requests {
    struct Entry {
        Record record;
        bool is_persistent;
        bool is_active;
    };
    using Table = std::unordered_multimap<MPI_Request, Entry>;

  public:
    /* A record removed from the table, or nothing. */
    using Node = typename Table::node_type;

    /* Adds the request of a nonblocking operation. */
    void add(MPI_Request request, Record record)
    {
        insert(request, Entry{std::move(record), false, true});
    }

    /* Adds the request of an _init function, inactive until started. */
    void add_persistent(MPI_Request request, Record record)
    {
        insert(request, Entry{std::move(record), true, false});
    }

    /* Calls visit(record) if the request has a record, and returns true then. For functions that
     * neither start nor complete it (MPI_Cancel, MPI_Pready, MPI_Parrived, MPI_Request_get_status).
     * visit must not use this object. */
    template <typename Visit>
    bool visit(MPI_Request request, Visit visit)
    {
        Shard &shard = shard_of(request);
        std::lock_guard<std::mutex> guard(shard.lock);
        const auto found = shard.table.find(request);
        if (found == shard.table.end())
            return false;
        visit(found->second.record);
        return true;
    }

    /* Calls visit(request, record, is_active) for each that was neither completed nor freed,
     * including inactive persistent ones. visit must not use this object. */
    template <typename Visit>
    void each(Visit visit)
    {
        for (Shard &shard : shards_) {
            std::lock_guard<std::mutex> guard(shard.lock);
            for (auto &[request, entry] : shard.table)
                visit(request, entry.record, entry.is_active);
        }
    }

    /* ---- for complete() below ---- */

    /* Removes a record before the call that may complete its request: another thread may get the
     * same handle as soon as the library frees it. */
    Node take(MPI_Request request)
    {
        Shard &shard = shard_of(request);
        std::lock_guard<std::mutex> guard(shard.lock);
        return shard.table.extract(request);
    }

    void put_back(Node node)
    {
        Shard &shard = shard_of(node.key());
        std::lock_guard<std::mutex> guard(shard.lock);
        shard.table.insert(std::move(node));
    }

    /* Starts a persistent request; ignores others. */
    template <typename Visit>
    void start(MPI_Request request, Visit &visit)
    {
        Node node = take(request);
        if (node.empty())
            return;
        if (node.mapped().is_persistent) {
            node.mapped().is_active = true;
            visit(node.mapped().record, static_cast<const MPI_Status *>(nullptr), Outcome::started);
        }
        put_back(std::move(node));
    }

    /* Ends the operation of a removed record. */
    template <typename Visit>
    void finish(Node node, const MPI_Status *status, Outcome outcome, Visit &visit)
    {
        Entry &entry = node.mapped();
        if (entry.is_active)
            visit(entry.record, status, outcome);
        entry.is_active = false;
        if (entry.is_persistent && outcome != Outcome::freed)
            put_back(std::move(node));
    }

  private:
    struct alignas(64) Shard {
        std::mutex lock;
        Table table;
    };

    /* Shards reduce contention between threads. */
    Shard &shard_of(MPI_Request request)
    {
        return shards_[static_cast<unsigned>(request) % shards_.size()];
    }

    void insert(MPI_Request request, Entry entry)
    {
        if (request == MPI_REQUEST_NULL)
            return;
        Shard &shard = shard_of(request);
        std::lock_guard<std::mutex> guard(shard.lock);
        shard.table.emplace(request, std::move(entry));
    }

    std::array<Shard, 32> shards_;
};

namespace requests_detail {

inline Outcome outcome_of(const MPI_Status &status, int error_code)
{
    if (error_code != MPI_SUCCESS)
        return Outcome::failed;
    int is_cancelled = 0;
    QMPI_Test_cancelled(&status, &is_cancelled);
    return is_cancelled ? Outcome::cancelled : Outcome::completed;
}

inline bool is_in_status(int error_code)
{
    int error_class = MPI_SUCCESS;
    return error_code != MPI_SUCCESS && QMPI_Error_class(error_code, &error_class) == MPI_SUCCESS &&
        error_class == MPI_ERR_IN_STATUS;
}

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
int complete_one(Call &call, Requests<Record> &requests, Visit &visit)
{
    const MPI_Request *request = qmpi::get<qmpi::role::request>(call);
    auto node = take_one(call, requests);
    if (node.empty())
        return call();

    MPI_Status own_status{};
    MPI_Status *&status = qmpi::get<qmpi::role::status>(call);
    if (status == MPI_STATUS_IGNORE)
        status = &own_status;
    const int error_code = call();
    const bool has_ended = error_code == MPI_SUCCESS
        ? is_flag_set(call)
        : *request == MPI_REQUEST_NULL || node.mapped().is_persistent;
    if (has_ended)
        requests.finish(std::move(node), status, outcome_of(*status, error_code), visit);
    else
        requests.put_back(std::move(node));
    return error_code;
}

/* If the operation is already complete, MPI_Request_free completes it like MPI_Wait. */
template <typename Call, typename Record, typename Visit>
int free(Call &call, Requests<Record> &requests, Visit &visit)
{
    auto node = take_one(call, requests);
    if (node.empty())
        return call();

    MPI_Status status{};
    int is_complete = 0;
    const int status_error = QMPI_Request_get_status(node.key(), &is_complete, &status);
    const int error_code = call();
    if (error_code != MPI_SUCCESS) {
        requests.put_back(std::move(node));
        return error_code;
    }
    /* Removes the record of a persistent request too. */
    auto &entry = node.mapped();
    entry.is_persistent = false;
    if (is_complete)
        requests.finish(std::move(node), &status, outcome_of(status, status_error), visit);
    else
        requests.finish(std::move(node), nullptr, Outcome::freed, visit);
    return error_code;
}

template <typename Call, typename Record, typename Visit>
int start(Call &call, Requests<Record> &requests, Visit &visit)
{
    const int number = qmpi::get_or<qmpi::role::length>(call, 1);
    const MPI_Request *request = qmpi::get<qmpi::role::request>(call);
    const int error_code = call();
    for (int i = 0; error_code == MPI_SUCCESS && i < number; i++)
        requests.start(request[i], visit);
    return error_code;
}

/* Functions that complete several requests. */
template <typename Call, typename Record, typename Visit>
int complete_several(Call &call, Requests<Record> &requests, Visit &visit)
{
    constexpr bool takes_all = Call::id == MPI_WAITALL_T || Call::id == MPI_TESTALL_T;
    constexpr bool takes_any = Call::id == MPI_WAITANY_T || Call::id == MPI_TESTANY_T;
    const int number = qmpi::get<qmpi::role::length>(call);
    const MPI_Request *handles = qmpi::get<qmpi::role::request>(call);
    std::vector<typename Requests<Record>::Node> nodes(
        number > 0 && handles != nullptr ? static_cast<std::size_t>(number) : 0);
    bool is_any_known = false;

    for (std::size_t i = 0; i < nodes.size(); i++) {
        if (handles[i] != MPI_REQUEST_NULL)
            nodes[i] = requests.take(handles[i]);
        is_any_known = is_any_known || !nodes[i].empty();
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
    const bool is_each_told = is_in_status(error_code);

    auto finish = [&](int index, const MPI_Status &status) {
        auto &node = nodes[static_cast<std::size_t>(index)];
        const int own_error = is_each_told ? status.MPI_ERROR : error_code;
        if (node.empty() || own_error == MPI_ERR_PENDING)
            return;
        requests.finish(std::move(node), &status, outcome_of(status, own_error), visit);
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
        const int index = *call.template argument<Call::index("indx")>();
        if (is_flag_set(call) && index != MPI_UNDEFINED)
            finish(index, *statuses);
    } else {
        const int completed = *qmpi::get<qmpi::role::length, 1>(call);
        const int *indices = call.template argument<Call::index("array_of_indices")>();
        for (int i = 0; completed != MPI_UNDEFINED && i < completed; i++)
            finish(indices[i], statuses[i]);
    }
    for (auto &node : nodes) {
        if (!node.empty())
            requests.put_back(std::move(node));
    }
    return error_code;
}

}  // namespace requests_detail

/* Makes the call, then calls visit(record, status, outcome) for each request with a record that it
 * started, completed or freed:
 *
 *     visit(Record &record, const MPI_Status *status, Outcome outcome)
 *
 * status is set (even if the program passed MPI_STATUS_IGNORE) except for started and freed; after
 * failed only its MPI_ERROR is valid. Then the record is dropped, or kept if the request is
 * persistent. visit may use the table. The program sees no difference. Accepts any function. */
template <typename Call, typename Record, typename Visit>
auto complete(Call &call, Requests<Record> &requests, Visit visit)
{
    constexpr MPI_Functions_enum id = Call::id;
    if constexpr (id == MPI_WAIT_T || id == MPI_TEST_T)
        return requests_detail::complete_one(call, requests, visit);
    else if constexpr (id == MPI_REQUEST_FREE_T)
        return requests_detail::free(call, requests, visit);
    else if constexpr (id == MPI_START_T || id == MPI_STARTALL_T)
        return requests_detail::start(call, requests, visit);
    else if constexpr (id == MPI_WAITALL_T || id == MPI_TESTALL_T || id == MPI_WAITANY_T ||
                       id == MPI_TESTANY_T || id == MPI_WAITSOME_T || id == MPI_TESTSOME_T)
        return requests_detail::complete_several(call, requests, visit);
    else
        return call();
}

}  // namespace tools

#endif /* TOOLS_REQUESTS_HPP_INCLUDED */
