/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The measurements of the tool profile, in blocks of a record (common/record.hpp). Each thread has its own
 * tables, so a call takes no lock and shares no written memory. Reports may read concurrently:
 * blocks never move, and numbers are atomic. */

#ifndef TOOLS_PROFILE_TABLES_HPP_INCLUDED
#define TOOLS_PROFILE_TABLES_HPP_INCLUDED

#include "../common/bytes.hpp"
#include "../common/communicators.hpp"
#include "../common/per_thread.hpp"
#include "../common/record.hpp"
#include "../common/sizes.hpp"
#include "options.hpp"

#include <qmpi.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace qmpi::profile {

/* In nanoseconds. */
using Time = std::uint64_t;

constexpr Time ns_per_second = 1000000000;

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

/* ---- blocks of a record ---- */

enum class Kind : std::uint32_t {
    process = static_cast<std::uint32_t>(Block::first_own),
    table,
    function,
    site,
    module,
    communicator,
    named_communicator
};

/* Time of the application while the profile is on, in now(). */
struct ProcessRecord {
    Number sum, begin, runs;
    Number generation; /* of records that count; others were reset */
    Number epoch;      /* wall-clock time in nanoseconds when now() was 0 */
    Number sample;     /* one of this number of calls is timed */
};

/* A function and the number of a call site of its thread, from 1; no call if both are 0. */
class CallKey {
  public:
    explicit CallKey(std::uint64_t bits = 0) : bits_(bits) {}
    CallKey(std::uint32_t function, std::uint64_t site) : bits_(site << 32 | (function + 1)) {}

    std::uint64_t bits() const { return bits_; }
    bool is_call() const { return bits_ != 0; }
    std::uint32_t function() const { return static_cast<std::uint32_t>(bits_) - 1; }
    std::uint32_t site() const { return static_cast<std::uint32_t>(bits_ >> 32); }

  private:
    std::uint64_t bits_;
};

/* A call in progress. Site and begin are 0 if it is not timed. The thread sets key last when the call
 * begins, and clears it before the call is added to any sum. So a call that a reader finds here twice,
 * before and after it has read the sums, is in none of them. */
struct CurrentCall {
    Number key, begin;
};

/* Calls inside others, by callbacks of the program, that a record shows. */
constexpr int max_nesting = 4;

/* Tables of one thread. */
struct TableRecord {
    Number number; /* other records refer to it */
    Number generation;
    Number last;                                  /* end of the last timed call */
    std::array<CurrentCall, max_nesting> current; /* outermost first */
};

/* Calls of one function by one thread. */
struct FunctionRecord {
    std::uint32_t table = 0, function = 0;
    Number calls;
    Number timed_calls;
    Number outer_time; /* of timed calls that are not nested */
    Number sent, received;
    std::array<Number, size_bins> sent_sizes, received_sizes;
    std::uint64_t until_timed = 0; /* calls before the next timed one */

    void clear();
};

/* A return address; module is the number of the block of its kind, from 0. */
struct SitePlace {
    const void *address;
    std::uint64_t module, offset;
};

/* Timed calls of one function from one path of return addresses, innermost first. The places
 * follow the structure. */
struct SiteRecord {
    std::uint32_t table = 0, depth = 0;
    CallKey key;
    const void *innermost = nullptr;
    Number calls;
    Number time;
    Number shortest{std::numeric_limits<Time>::max()};
    Number longest;
    Number sent, received;

    SitePlace *places() { return reinterpret_cast<SitePlace *>(this + 1); }
    const SitePlace *places() const { return reinterpret_cast<const SitePlace *>(this + 1); }
    std::uint32_t function() const { return key.function(); }
    void clear();
};

/* Timed calls of one function on one communicator. */
struct CommunicatorRecord {
    std::uint32_t table = 0, function = 0;
    std::uint64_t id = 0;
    Number calls;
    Number time;
    Number sent, received;

    void clear();
};

/* A communicator, by the id that all its processes know. */
struct NamedCommunicator {
    std::uint64_t id = 0;
    std::int32_t size = 0, is_inter = 0;
    char name[MPI_MAX_OBJECT_NAME] = "";
};

/* Hash index of records; for the owning thread only. */
template <typename Record>
class Index {
  public:
    /* The record for which is_it(record) holds, or a new one that make() returns. */
    template <typename IsIt, typename Make>
    Record &find(std::uint64_t hash, IsIt is_it, Make make)
    {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
            const Slot &slot = slots_[i];
            if (slot.record == nullptr)
                return insert(hash, make());
            if (slot.hash == hash && is_it(*slot.record))
                return *slot.record;
        }
    }

    const std::vector<Record *> &all() const { return all_; }

  private:
    struct Slot {
        std::uint64_t hash = 0;
        Record *record = nullptr;
    };

    Record &insert(std::uint64_t hash, Record &record)
    {
        all_.push_back(&record);
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
    std::vector<Record *> all_;
    std::size_t size_ = 0;
};

class Tables;

/* A recorded call on the stack of its thread. A longjmp, from an error handler for example, leaves it without a
 * word: then the stack is not as deep any more, or has other contents. */
class Frame {
  public:
    void enter(int nesting)
    {
        self_ = this;
        nesting_ = nesting;
    }

    /* Calls around it */
    int nesting() const { return nesting_; }

    bool is_left(const Frame &later) const
    {
        return reinterpret_cast<std::uintptr_t>(this) <= reinterpret_cast<std::uintptr_t>(&later) ||
            self_ != this;
    }

  private:
    const Frame *volatile self_;
    int nesting_;
};

/* For the owning thread only. */
class Table {
  public:
    Table(Tables &tables, std::uint64_t number);
    Table(const Table &) = delete;
    Table &operator=(const Table &) = delete;

    FunctionRecord &function(int id)
    {
        FunctionRecord *found = functions_[static_cast<std::size_t>(id)];
        return found != nullptr ? *found : add_function(id);
    }

    /* depth: at least 1 */
    SiteRecord &site(int function, const void *const *path, std::size_t depth)
    {
        auto hash = static_cast<std::uint64_t>(function);
        for (std::size_t i = 0; i < depth; i++)
            hash = mixed(hash, reinterpret_cast<std::uintptr_t>(path[i]));
        return sites_.find(
            hash,
            [=](const SiteRecord &site) {
                return site.innermost == path[0] &&
                    site.function() == static_cast<std::uint32_t>(function) &&
                    site.depth == depth && (depth == 1 || is_path_of(site, path));
            },
            [=]() -> SiteRecord & { return add_site(function, path, depth); });
    }

    /* This thread's record of the call site that another thread has. */
    SiteRecord &site(const SiteRecord &other)
    {
        const void *path[max_depth];
        for (std::size_t i = 0; i < other.depth; i++)
            path[i] = other.places()[i].address;
        return site(static_cast<int>(other.function()), path, other.depth);
    }

    CommunicatorRecord &communicator(int function, const Communicators::Shared &communicator);

    /* Resets all numbers. */
    void clear(std::uint32_t generation);

    std::uint32_t generation() const
    {
        return static_cast<std::uint32_t>(record_.generation.get());
    }

    /* begin: 0 if the call is not timed */
    void enter(Frame &frame, CallKey key, Time begin)
    {
        if (__builtin_expect(nesting_ > 0, 0))
            drop_left_calls(frame);
        frame.enter(nesting_);
        if (__builtin_expect(nesting_ < max_nesting, 1)) {
            const auto level = static_cast<std::size_t>(nesting_);
            frames_[level] = &frame;
            CurrentCall &call = record_.current[level];
            call.begin.set(begin);
            std::atomic_thread_fence(std::memory_order_release);
            call.key.set(key.bits());
        }
        nesting_++;
    }

    void leave(const Frame &frame)
    {
        nesting_ = frame.nesting();
        if (__builtin_expect(nesting_ < max_nesting, 1))
            record_.current[static_cast<std::size_t>(nesting_)].key.set(0);
        std::atomic_thread_fence(std::memory_order_release);
    }

    /* True in a callback of the program: the time of its calls is part of that of the outer call. */
    bool is_in_call() const { return nesting_ > 0; }

    /* End of a timed call. */
    void note_time(Time time) { record_.last.set(time); }

  private:
    void drop_left_calls(const Frame &later);
    FunctionRecord &add_function(int id);
    SiteRecord &add_site(int function, const void *const *path, std::size_t depth);
    static bool is_path_of(const SiteRecord &site, const void *const *path);
    std::uint32_t number() const { return static_cast<std::uint32_t>(record_.number.get()); }

    int nesting_ = 0;
    std::array<const Frame *, max_nesting> frames_{};
    Tables &tables_;
    TableRecord &record_;
    std::array<FunctionRecord *, MPI_LAST_FUNC_T> functions_{};
    Index<SiteRecord> sites_;
    Index<CommunicatorRecord> communicators_;
};

/* Tables of all threads for one instance. Never destroyed, as threads may be in a call when the
 * process exits. */
class Tables {
  public:
    Tables(Record &record, std::uint32_t sample);
    Tables(const Tables &) = delete;
    Tables &operator=(const Tables &) = delete;

    /* Table of the calling thread, created on first use. */
    Table &own_table() { return tables_.own(); }

    ProcessRecord &process() { return process_; }

    /* Takes over the communicators' names. */
    void update_names();

  private:
    friend class Table;

    std::uint64_t number_of_module(const std::string &path);
    void name(const Communicators::Shared &communicator);

    Record &record_;
    ProcessRecord &process_;
    std::mutex mutex_;
    std::vector<std::string> modules_;
    std::map<std::uint64_t, std::pair<Communicators::Shared, NamedCommunicator *>> communicators_;
    std::uint64_t number_of_tables_ = 0;
    PerThread<Table> &tables_ = *new PerThread<Table>{
        [this] { return std::make_unique<Table>(*this, number_of_tables_++); }};
};

}  // namespace qmpi::profile

#endif /* TOOLS_PROFILE_TABLES_HPP_INCLUDED */
