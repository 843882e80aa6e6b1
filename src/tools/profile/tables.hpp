/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Records of the tool profile. Each thread has its own tables, so a call takes no lock and shares
 * no written memory. Reports may read concurrently: growing tables never move, and numbers are
 * atomic. */

#ifndef TOOLS_PROFILE_TABLES_HPP_INCLUDED
#define TOOLS_PROFILE_TABLES_HPP_INCLUDED

#include "../common/bytes.hpp"
#include "../common/communicators.hpp"
#include "../common/sizes.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace tools::profile {

/* In nanoseconds. */
using Time = std::uint64_t;

constexpr std::size_t max_depth = 32;

/* A number that one thread writes and others read; compiles to plain instructions. */
class Number {
  public:
    explicit Number(std::uint64_t value = 0) : value_(value) {}

    std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }
    void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }
    void add(std::uint64_t number) { set(get() + number); }
    void at_least(std::uint64_t number)
    {
        if (number > get())
            set(number);
    }
    void at_most(std::uint64_t number)
    {
        if (number < get())
            set(number);
    }

  private:
    std::atomic<std::uint64_t> value_;
};

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
}

/* Calls of one function by one thread. */
struct FunctionRecord {
    Number calls;
    Number timed_calls;
    Number outer_time; /* of timed calls that are not nested */
    Number sent, received;
    std::array<Number, size_bins> sent_sizes, received_sizes;
    std::uint32_t until_timed = 0; /* calls before the next timed one */

    void clear();
};

/* Timed calls of one function from one path of return addresses, innermost first. */
struct SiteRecord {
    int function = 0;
    const void *innermost = nullptr;
    std::vector<const void *> path;
    Number calls;
    Number time;
    Number shortest{std::numeric_limits<Time>::max()};
    Number longest;
    Number sent, received;

    void clear();
};

/* Timed calls of one function on one communicator. */
struct CommunicatorRecord {
    int function = 0;
    Communicators::Shared communicator;
    Number calls;
    Number time;
    Number sent, received;

    void clear();
};

/* Records of one thread; they never move. */
template <typename Record>
class Records {
  public:
    Records() = default;
    Records(const Records &) = delete;
    Records &operator=(const Records &) = delete;

    ~Records()
    {
        for (Chunk *chunk = first_.next.load(); chunk != nullptr;)
            delete std::exchange(chunk, chunk->next.load());
    }

    /* make(record) sets the key before readers see the record. */
    template <typename Make>
    Record &add(Make make)
    {
        if (last_->size.load(std::memory_order_relaxed) == chunk_size) {
            auto *chunk = new Chunk;
            last_->next.store(chunk, std::memory_order_release);
            last_ = chunk;
        }
        const std::size_t index = last_->size.load(std::memory_order_relaxed);
        Record &record = last_->records[index];
        make(record);
        last_->size.store(index + 1, std::memory_order_release);
        return record;
    }

    template <typename Visit>
    void each(Visit visit) const
    {
        for (const Chunk *chunk = &first_; chunk != nullptr;
             chunk = chunk->next.load(std::memory_order_acquire)) {
            const std::size_t size = chunk->size.load(std::memory_order_acquire);
            for (std::size_t i = 0; i < size; i++)
                visit(chunk->records[i]);
        }
    }

    template <typename Visit>
    void each(Visit visit)
    {
        std::as_const(*this).each(
            [&](const Record &record) { visit(const_cast<Record &>(record)); });
    }

  private:
    static constexpr std::size_t chunk_size = 32;

    struct Chunk {
        std::array<Record, chunk_size> records;
        std::atomic<std::size_t> size{0};
        std::atomic<Chunk *> next{nullptr};
    };

    Chunk first_;
    Chunk *last_ = &first_;
};

/* Hash index of records; for the owning thread only. */
template <typename Record>
class Index {
  public:
    /* The record for which is_it(record) holds, or a new one initialised by make(record). */
    template <typename IsIt, typename Make>
    Record &find(Records<Record> &records, std::uint64_t hash, IsIt is_it, Make make)
    {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
            const Slot &slot = slots_[i];
            if (slot.record == nullptr)
                return insert(hash, records.add(make));
            if (slot.hash == hash && is_it(*slot.record))
                return *slot.record;
        }
    }

  private:
    struct Slot {
        std::uint64_t hash = 0;
        Record *record = nullptr;
    };

    Record &insert(std::uint64_t hash, Record &record)
    {
        if (2 * (size_ + 1) > slots_.size()) {
            std::vector<Slot> old(2 * slots_.size());
            old.swap(slots_);
            for (const Slot &slot : old) {
                if (slot.record != nullptr)
                    place(slot);
            }
        }
        place({hash, &record});
        size_++;
        return record;
    }

    void place(const Slot &slot)
    {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = slot.hash & mask;
        while (slots_[i].record != nullptr)
            i = (i + 1) & mask;
        slots_[i] = slot;
    }

    std::vector<Slot> slots_ = std::vector<Slot>(64);
    std::size_t size_ = 0;
};

class Table {
  public:
    ~Table();

    FunctionRecord &function(int id)
    {
        FunctionRecord *found =
            functions_[static_cast<std::size_t>(id)].load(std::memory_order_relaxed);
        return found != nullptr ? *found : add_function(id);
    }

    /* nullptr: this thread never called it */
    const FunctionRecord *find_function(int id) const
    {
        return functions_[static_cast<std::size_t>(id)].load(std::memory_order_acquire);
    }

    /* depth: at least 1 */
    SiteRecord &site(int function, const void *const *path, std::size_t depth)
    {
        auto hash = static_cast<std::uint64_t>(function);
        for (std::size_t i = 0; i < depth; i++)
            hash = mixed(hash, reinterpret_cast<std::uintptr_t>(path[i]));
        return site_index_.find(
            sites_, hash,
            [=](const SiteRecord &site) {
                return site.innermost == path[0] && site.function == function &&
                    site.path.size() == depth &&
                    (depth == 1 || std::equal(path, path + depth, site.path.begin()));
            },
            [=](SiteRecord &site) {
                site.function = function;
                site.innermost = path[0];
                site.path.assign(path, path + depth);
            });
    }

    CommunicatorRecord &communicator(int function, const Communicators::Shared &communicator);

    /* Resets all numbers; by the owning thread. */
    void clear(std::uint32_t generation);

    const Records<SiteRecord> &sites() const { return sites_; }
    const Records<CommunicatorRecord> &communicators() const { return communicators_; }

    std::uint32_t generation() const { return generation_.load(std::memory_order_acquire); }

    /* Nesting depth: a callback of the program may call MPI. */
    int nesting = 0;

  private:
    FunctionRecord &add_function(int id);

    std::array<std::atomic<FunctionRecord *>, MPI_LAST_FUNC_T> functions_{};
    Records<SiteRecord> sites_;
    Index<SiteRecord> site_index_;
    Records<CommunicatorRecord> communicators_;
    Index<CommunicatorRecord> communicator_index_;
    std::atomic<std::uint32_t> generation_{0};
};

/* Tables of all threads for one instance. Never destroyed, as threads may be in a call when the
 * process exits. */
class Tables {
  public:
    /* number: of the instance within the tool, from 0 */
    explicit Tables(std::size_t number) : number_(number) {}
    Tables(const Tables &) = delete;
    Tables &operator=(const Tables &) = delete;

    /* Table of the calling thread, created on first use. */
    Table &own_table()
    {
        return number_ < known_ && of_thread_[number_] != nullptr ? *of_thread_[number_] : take();
    }

    template <typename Visit>
    void each(Visit visit) const
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        for (const auto &table : all_)
            visit(*table);
    }

  private:
    friend struct Loans;

    Table &take();
    void give_back(Table *table);

    /* By instance number. initial-exec: access needs no call. */
    [[gnu::tls_model("initial-exec")]] static thread_local Table **of_thread_;
    [[gnu::tls_model("initial-exec")]] static thread_local std::size_t known_;

    const std::size_t number_;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Table>> all_;
    std::vector<Table *> unused_; /* of ended threads; for reuse */
};

}  // namespace tools::profile

#endif /* TOOLS_PROFILE_TABLES_HPP_INCLUDED */
