/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Record of the tool "watch": calls in progress and the last calls of each thread of one process. Its
 * size is fixed, and threads write with plain instructions. Another process reads it at any time. */

#ifndef TOOLS_WATCH_STATE_HPP_INCLUDED
#define TOOLS_WATCH_STATE_HPP_INCLUDED

#include "../common/process.hpp"
#include "../common/record.hpp"

#include <qmpi.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace qmpi::watch {

enum class Kind : std::uint32_t { state = static_cast<std::uint32_t>(Block::first_own) };

/* A number that one thread writes and others read. */
class Number {
  public:
    std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }
    void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }

    /* Readers that see the value also see what was written before. */
    void publish(std::uint64_t value) { value_.store(value, std::memory_order_release); }

  private:
    std::atomic<std::uint64_t> value_{0};
};

/* ---- time ---- */

/* True if the processor has a counter that runs at a constant rate and is the same on all cores. */
inline bool has_counter()
{
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

inline std::uint64_t counter()
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

inline std::uint64_t coarse_clock()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u +
        static_cast<std::uint64_t>(time.tv_nsec);
}

/* Ticks of the clock of a record, and now(), at one moment. */
struct Moment {
    std::uint64_t ticks = 0, time = 0;
};

inline Moment moment(bool is_counter)
{
    return {is_counter ? counter() : coarse_clock(), now()};
}

/* ---- calls ---- */

/* One call. What the function lacks is 0. */
struct Call {
    Number function; /* id and 1; 0: no call */
    Number site;     /* return address */
    Number begin;    /* in ticks */
    Number end;      /* 0 while the call is in progress */
    Number object;   /* handle of communicator, window or file */
    Number peer;     /* see packed() */
    Number size;     /* elements, or requests; of MPI_Sendrecv packed() of the destination */
    Number datatype; /* handle */

    static std::uint64_t packed(int rank, int tag)
    {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(rank)) << 32 |
            static_cast<std::uint32_t>(tag);
    }
    static int rank_in(std::uint64_t packed) { return static_cast<std::int32_t>(packed >> 32); }
    static int tag_in(std::uint64_t packed) { return static_cast<std::int32_t>(packed); }
};

constexpr std::size_t last_calls = 8;
constexpr std::size_t max_nested = 2;

/* Calls of one thread. The thread writes a call of the ring before it publishes the number of calls;
 * calls that a callback of the program makes inside another call are in nested. */
struct Thread {
    Number
        calls; /* outermost ones that have begun: the last is in ring[(calls - 1) % last_calls] */
    Number thread; /* the system's number; 0: the slot is unused */
    std::array<Number, 6> unused;
    std::array<Call, last_calls> ring;
    std::array<Call, max_nested> nested; /* of ring's last call, outermost first */
};

constexpr std::size_t max_threads = 32;

/* Calls by function, for the first threads only. */
using Counts = std::array<std::atomic<std::uint32_t>, MPI_LAST_FUNC_T>;
constexpr std::size_t counted_threads = 6;

/* ---- objects ---- */

/* A communicator that the program has; size 0: the slot is free. */
struct Communicator {
    std::uint64_t handle = 0;
    std::int64_t context = -1; /* the same in all members; -1: unknown */
    std::int32_t leader = -1;  /* rank 0's rank in its job: others can have the same context */
    std::int32_t rank = -1, size = 0, remote_size = 0;
    char name[40] = "";
};

constexpr std::size_t max_communicators = 64;

/* A predefined datatype. */
struct Datatype {
    std::uint64_t handle = 0;
    std::uint64_t size = 0;
};

constexpr std::size_t max_datatypes = 48;

/* A file with code that has made calls. */
struct Module {
    std::uint64_t begin = 0, size = 0; /* of the addresses */
    std::uint64_t load_address = 0;
    char path[168] = ""; /* empty: too long */
};

constexpr std::size_t max_modules = 16;

/* ---- process ---- */

enum class Phase : std::uint64_t { begun, initialized, finalized, exited };

struct Process {
    Number phase;
    std::uint64_t start = 0; /* of the process, field 22 of /proc/PID/stat */
    std::int32_t id = 0, user = 0;
    std::int32_t ancestors[8] = {};           /* parent first */
    std::int32_t rank = -1, size = 0;         /* in the job; -1: unknown */
    std::int32_t ranks_on_host = 0;           /* 0: unknown */
    std::uint32_t is_counter = 0;             /* the clock is the processor's */
    std::int32_t any_source = 0, any_tag = 0; /* of the library; those of the MPI ABI differ */
    std::int32_t no_process = 0;              /* MPI_PROC_NULL */
    Moment first, second;    /* ticks and time, for their rate; second is 0 before MPI begins */
    std::uint64_t epoch = 0; /* wall-clock time in nanoseconds when now() was 0 */
    Number threads_without_slot;
    char world[128] = ""; /* name of the job in the process manager */
};

struct State {
    Process process;
    std::array<Communicator, max_communicators> communicators;
    std::array<Datatype, max_datatypes> datatypes;
    std::array<Module, max_modules> modules;
    std::array<Thread, max_threads> threads;
    std::array<Counts, counted_threads> counts;
};

constexpr std::size_t record_size = std::size_t{1} << 16;
static_assert(sizeof(State) + 4096 < record_size, "the introduction needs room, too");

/* ---- files ---- */

/* nullptr if the record has none. */
inline const State *state_in(const RecordView &record)
{
    const State *state = nullptr;
    record.each([&state](std::uint32_t kind, std::string_view content) {
        if (static_cast<Kind>(kind) == Kind::state)
            state = &block_as<State>(content);
    });
    return state;
}

/* Folder of a user's records, below /dev/shm or the folder that the user names. */
inline std::string folder_name(std::int64_t user)
{
    return "qmpi-watch-" + std::to_string(user);
}

}  // namespace qmpi::watch

#endif /* TOOLS_WATCH_STATE_HPP_INCLUDED */
