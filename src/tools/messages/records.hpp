/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Records of the tool messages, and their merging. */

#ifndef TOOLS_MESSAGES_RECORDS_HPP_INCLUDED
#define TOOLS_MESSAGES_RECORDS_HPP_INCLUDED

#include "../common/communicators.hpp"
#include "../common/patterns.hpp"
#include "../common/record.hpp"
#include "../common/sizes.hpp"
#include "../common/wire.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qmpi::messages {

inline double seconds(std::uint64_t nanoseconds)
{
    return static_cast<double>(nanoseconds) / 1e9;
}

/* ---- sums ---- */

/* Messages between two processes in one direction. */
struct Sums {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t time = 0; /* in ns, from start to completion of each */
    double min_bandwidth = std::numeric_limits<double>::infinity(); /* in bytes per second */
    double max_bandwidth = 0;

    void add(std::uint64_t size, std::uint64_t duration)
    {
        messages++;
        bytes += size;
        time += duration;
        if (size == 0 || duration == 0)
            return;
        const double bandwidth = static_cast<double>(size) / seconds(duration);
        min_bandwidth = std::min(min_bandwidth, bandwidth);
        max_bandwidth = std::max(max_bandwidth, bandwidth);
    }

    void add(const Sums &other)
    {
        messages += other.messages;
        bytes += other.bytes;
        time += other.time;
        min_bandwidth = std::min(min_bandwidth, other.min_bandwidth);
        max_bandwidth = std::max(max_bandwidth, other.max_bandwidth);
    }

    auto fields() { return std::tie(messages, bytes, time, min_bandwidth, max_bandwidth); }

    bool has_bandwidth() const { return max_bandwidth > 0; }
    double mean_bandwidth() const
    {
        return time == 0 ? 0 : static_cast<double>(bytes) / seconds(time);
    }
};

struct FunctionSums {
    std::uint64_t operations = 0;
    std::uint64_t time = 0;
    std::uint64_t sent_messages = 0, sent_bytes = 0;
    std::uint64_t received_messages = 0, received_bytes = 0;
    std::uint64_t unfinished = 0; /* operations whose end was not seen */

    void add(const FunctionSums &other)
    {
        operations += other.operations;
        time += other.time;
        sent_messages += other.sent_messages;
        sent_bytes += other.sent_bytes;
        received_messages += other.received_messages;
        received_bytes += other.received_bytes;
        unfinished += other.unfinished;
    }

    auto fields()
    {
        return std::tie(operations, time, sent_messages, sent_bytes, received_messages,
                        received_bytes, unfinished);
    }
};

using Sizes = std::array<std::uint64_t, size_bins>;

/* An operation from its start to its completion. */
struct Operation {
    int function;
    int phase;
    Kind kind;
    bool receives_message; /* the status will describe it */
    bool is_recorded;
    std::uint64_t begin;
    Communicators::Shared communicator;
    Parts parts;                  /* without what a status has */
    movement::Received described; /* receive */
};

/* ---- records of a process ---- */

/* Peer of messages: one process, or the group common to all communicators with the same members. */
struct Key {
    int phase = 0;
    Kind kind = Kind::point_to_point;
    Side side = Side::sent;
    Whom whom = Whom::one;
    int peer = 0;
    std::uint64_t members = 0;

    bool operator==(const Key &other) const
    {
        return phase == other.phase && kind == other.kind && side == other.side &&
            whom == other.whom && peer == other.peer && members == other.members;
    }
};

struct Hash {
    std::size_t operator()(const Key &key) const
    {
        const auto small = static_cast<std::uint64_t>(key.kind) |
            static_cast<std::uint64_t>(key.side) << 2 | static_cast<std::uint64_t>(key.whom) << 3 |
            static_cast<std::uint64_t>(key.phase) << 6;
        const auto peer = static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.peer));
        return ((small << 32 | peer) ^ key.members) * 0x9e3779b97f4a7c15u >> 7;
    }
};

/* ---- blocks of a record ---- */

enum class RecordKind : std::uint32_t {
    table = static_cast<std::uint32_t>(Block::first_own),
    exchange,
    function
};

struct TableRecord {
    std::uint64_t last = 0; /* end of the last operation, in now() */
    Sizes sizes{};
    int rank = outside_world; /* of the process in MPI_COMM_WORLD, as its communicators have it */
};

/* Messages with each member of a group, or with one process. The ranks of the group follow. */
struct ExchangeRecord {
    Key key;
    Sums sums;
    std::uint64_t number = 0; /* of ranks; 0: one process */

    int *ranks() { return reinterpret_cast<int *>(this + 1); }
    const int *ranks() const { return reinterpret_cast<const int *>(this + 1); }
};

struct FunctionRecord {
    int phase = 0, function = 0;
    FunctionSums sums;
};

/* Usually each thread uses its own. */
struct alignas(64) Table {
    std::mutex lock;

    void add(Record &record, const Operation &operation, const Parts &parts, std::uint64_t end)
    {
        std::lock_guard<std::mutex> guard(lock);
        FunctionSums &function = function_of(record, operation);
        function.operations++;
        function.time += end - operation.begin;
        for (const Part &part : parts)
            add(record, operation, part, end - operation.begin, function);
        TableRecord &own = own_record(record);
        own.last = end;
        own.rank = std::max(own.rank, operation.communicator->own_world_rank());
    }

    void add_unfinished(Record &record, const Operation &operation)
    {
        std::lock_guard<std::mutex> guard(lock);
        function_of(record, operation).unfinished++;
    }

    void clear()
    {
        std::lock_guard<std::mutex> guard(lock);
        for (auto &[key, exchange] : exchanges_)
            exchange->sums = Sums();
        for (auto &[key, function] : functions_)
            function->sums = FunctionSums();
        if (record_ != nullptr)
            record_->sizes.fill(0);
    }

  private:
    TableRecord &own_record(Record &record)
    {
        if (record_ == nullptr)
            record_ = &record.make<TableRecord>(RecordKind::table);
        return *record_;
    }

    FunctionSums &function_of(Record &record, const Operation &operation)
    {
        FunctionRecord *&found = functions_[{operation.phase, operation.function}];
        if (found == nullptr)
            found = &record.make<FunctionRecord>(RecordKind::function,
                                                 [&operation](FunctionRecord &made) {
                                                     made.phase = operation.phase;
                                                     made.function = operation.function;
                                                 });
        return found->sums;
    }

    ExchangeRecord &exchange_of(Record &record, const Key &key, const Operation &operation)
    {
        ExchangeRecord *&found = exchanges_[key];
        if (found != nullptr)
            return *found;
        std::vector<int> ranks;
        if (key.whom != Whom::one)
            ranks = qmpi::world_ranks_of(key.whom, *operation.communicator);
        found = &record.make<ExchangeRecord>(
            RecordKind::exchange,
            [&](ExchangeRecord &made) {
                made.key = key;
                made.number = ranks.size();
                std::copy(ranks.begin(), ranks.end(), made.ranks());
            },
            ranks.size() * sizeof(int));
        return *found;
    }

    void add(Record &record, const Operation &operation, const Part &part, std::uint64_t duration,
             FunctionSums &function)
    {
        const bool is_group = part.whom != Whom::one;
        const std::uint64_t messages =
            is_group ? qmpi::number_of(part.whom, *operation.communicator) : 1;
        const Key key{operation.phase, operation.kind,
                      part.side,       part.whom,
                      part.peer,       is_group ? operation.communicator->members : 0};
        exchange_of(record, key, operation).sums.add(part.bytes, duration);

        if (part.side == Side::sent) {
            function.sent_messages += messages;
            function.sent_bytes += messages * part.bytes;
        } else {
            function.received_messages += messages;
            function.received_bytes += messages * part.bytes;
        }
        if (part.side == Side::sent || operation.kind == Kind::one_sided)
            own_record(record).sizes[bin_of(part.bytes)] += messages;
    }

    TableRecord *record_ = nullptr;
    std::unordered_map<Key, ExchangeRecord *, Hash> exchanges_;
    std::map<std::pair<int, int>, FunctionRecord *> functions_;
};

/* ---- merged records ---- */

/* Messages from one process (or block of processes) to another, as seen by one of them. */
struct Entry {
    int phase = 0;
    Kind kind = Kind::point_to_point;
    int from = 0, to = 0;
    Side side = Side::sent;
    Sums sums;

    auto fields() { return std::tie(phase, kind, from, to, side, sums); }

    auto key() const { return std::tie(phase, kind, from, to, side); }
};

class State {
  public:
    /* block: ranks per row and column of the matrix */
    explicit State(int block) : block_(block) {}

    /* Throws std::runtime_error if a record from a file has ranks that do not exist: a table of them
     * could have any size. */
    static void check(const RecordView &record, int world_size)
    {
        record.each([&](std::uint32_t kind, std::string_view content) {
            if (static_cast<RecordKind>(kind) == RecordKind::table)
                require_undamaged(block_as<TableRecord>(content).rank < world_size);
            if (static_cast<RecordKind>(kind) != RecordKind::exchange)
                return;
            const auto &exchange = block_as<ExchangeRecord>(content);
            bool is_valid = exchange.key.kind <= Kind::one_sided &&
                exchange.key.peer < world_size &&
                exchange.number <= (content.size() - sizeof exchange) / sizeof(int);
            for (std::uint64_t i = 0; is_valid && i < exchange.number; i++)
                is_valid = exchange.ranks()[i] < world_size;
            require_undamaged(is_valid);
        });
    }

    /* Of a process. rank: in MPI_COMM_WORLD; if outside_world, the record may have it. */
    void add(const RecordView &record, int rank)
    {
        const int own_rank = rank == outside_world ? rank_in(record) : rank;
        record.each([&](std::uint32_t kind, std::string_view content) {
            switch (static_cast<RecordKind>(kind)) {
            case RecordKind::table: {
                const auto &table = block_as<TableRecord>(content);
                add(table.sizes);
                last = std::max(last, table.last);
                break;
            }
            case RecordKind::exchange:
                add(block_as<ExchangeRecord>(content), own_rank);
                break;
            case RecordKind::function: {
                const auto &function = block_as<FunctionRecord>(content);
                if (function.sums.operations > 0 || function.sums.unfinished > 0)
                    functions[{function.phase, function.function}].add(function.sums);
                break;
            }
            }
        });
        combine();
    }

    static int rank_in(const RecordView &record)
    {
        int rank = outside_world;
        record.each([&rank](std::uint32_t kind, std::string_view content) {
            if (static_cast<RecordKind>(kind) == RecordKind::table)
                rank = std::max(rank, block_as<TableRecord>(content).rank);
        });
        return rank;
    }

    void add_unfinished(const Operation &operation)
    {
        functions[{operation.phase, operation.function}].unfinished++;
    }

    void write(qmpi::Writer &writer) const
    {
        writer.put(entries);
        writer.put(functions);
        writer.put(sizes);
    }

    void merge(qmpi::Reader &reader)
    {
        const auto others = reader.get<std::vector<Entry>>();
        entries.insert(entries.end(), others.begin(), others.end());
        for (const auto &[key, sums] : reader.get<decltype(functions)>())
            functions[key].add(sums);
        add(reader.get<Sizes>());
        combine();
    }

    std::vector<Entry> entries; /* sorted, unique keys */
    std::map<std::pair<int, int>, FunctionSums> functions;
    Sizes sizes{};
    std::uint64_t last = 0; /* end of the last operation of a record, in now() of its host */

  private:
    void add(const Sizes &others)
    {
        for (std::size_t i = 0; i < sizes.size(); i++)
            sizes[i] += others[i];
    }

    void add(const ExchangeRecord &exchange, int own_rank)
    {
        if (exchange.sums.messages == 0)
            return; /* reset */
        if (exchange.key.whom == Whom::one)
            add_entry(exchange.key, own_rank, exchange.key.peer, exchange.sums);
        for (std::uint64_t i = 0; i < exchange.number; i++)
            add_entry(exchange.key, own_rank, exchange.ranks()[i], exchange.sums);
    }

    void add_entry(const Key &key, int own, int peer, const Sums &sums)
    {
        const bool is_sent = key.side == Side::sent;
        entries.push_back({key.phase, key.kind, row_of(is_sent ? own : peer),
                           row_of(is_sent ? peer : own), key.side, sums});
    }

    int row_of(int rank) const { return rank < 0 ? qmpi::outside_world : rank / block_; }

    void combine()
    {
        std::sort(entries.begin(), entries.end(),
                  [](const Entry &a, const Entry &b) { return a.key() < b.key(); });
        std::size_t kept = 0;
        for (const Entry &entry : entries) {
            if (kept > 0 && entries[kept - 1].key() == entry.key())
                entries[kept - 1].sums.add(entry.sums);
            else
                entries[kept++] = entry;
        }
        entries.resize(kept);
    }

    int block_;
};

}  // namespace qmpi::messages

#endif /* TOOLS_MESSAGES_RECORDS_HPP_INCLUDED */
