/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Record of a process: its findings, its calls, and why it is not compared with others. A finding
 * is in the record of the process that found it; those of the analyser are in that of rank 0. */

#ifndef TOOLS_CHECK_RECORDER_HPP_INCLUDED
#define TOOLS_CHECK_RECORDER_HPP_INCLUDED

#include "findings.hpp"
#include "functions.hpp"
#include "sites.hpp"

#include "../common/record.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>

namespace qmpi::check {

/* Blocks of a record. finding: its number of times, then the Finding. suppressions: as
 * Suppressions::written(). */
enum class RecordBlock : std::uint32_t {
    thread = static_cast<std::uint32_t>(Block::first_own),
    site,
    finding,
    distrust,
    omission,
    suppressions
};

/* Calls of a thread. The current one is a single word, which is always consistent. */
struct Activity {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> current{0}; /* see CurrentCall; 0: outside MPI */
};

struct CurrentCall {
    int function = 0;
    std::uint32_t site = 0; /* number of a site block */

    std::uint64_t packed() const
    {
        return std::uint64_t{site} << 32 | (static_cast<std::uint32_t>(function) + 1);
    }
    static CurrentCall unpacked(std::uint64_t word)
    {
        return {static_cast<int>(static_cast<std::uint32_t>(word) - 1),
                static_cast<std::uint32_t>(word >> 32)};
    }
};

/* Address of a call site; the reader of the record looks up file and line. */
struct SiteBlock {
    std::uint32_t number = 0;
    CodeLocation location;

    std::string written() const;
    static SiteBlock read(std::string_view content);
};

/* communicator: the one that is no longer compared; empty: all of the process */
struct DistrustBlock {
    std::uint64_t calls = 0;
    std::string reason;
    std::string communicator;

    std::string written() const;
    static DistrustBlock read(std::string_view content);
};

/* Part of the analysis that a process is left out of. */
struct Omission {
    int rank = -1;
    std::string what;
    std::string reason;

    auto fields() { return std::tie(rank, what, reason); }
};

/* Values of Omission::what. */
inline constexpr const char *omitted_deadlocks = "deadlocks";
inline constexpr const char *omitted_cycles = "possible deadlocks";
inline constexpr const char *omitted_ready = "ready sends";
inline constexpr const char *omitted_bounds = "accesses outside a window";
inline constexpr const char *omitted_types = "type mismatches of long types";
inline constexpr const char *omitted_races = "message races";
inline constexpr const char *omitted_accesses = "access conflicts under shared locks";
inline constexpr const char *omitted_early_accesses = "access conflicts with earlier accesses";
inline constexpr const char *omitted_origins = "buffer overlaps of one-sided operations";
inline constexpr const char *omitted_neighbours = "overlaps within a call";
inline constexpr const char *omitted_shared_buffers =
    "changed buffers of sends that are complete at once";
inline constexpr const char *omitted_blocks_of_accesses = "access conflicts of data with gaps";
inline constexpr const char *omitted_blocks_of_buffers = "buffer overlaps of data with gaps";

/* Thread-safe. Never destroyed, since threads remember it. */
class Recorder {
    struct Thread;

  public:
    /* number: of the instance */
    Recorder(Record &record, int number, Sites &sites);

    /* True if it is new. */
    bool found(const Finding &finding);
    void distrusted(const std::string &reason, const std::string &communicator = "");
    void omitted(const Omission &omission);
    /* This thread is in a call. */
    bool is_in_call() const
    {
        const Slot &slot = own_[slot_];
        return slot.recorder == this && slot.thread->is_in_call;
    }
    void suppressed_by(const std::string &suppressions);

    /* Calls of all threads that did more than to test in vain, number of the others, and one of these. */
    struct Polls {
        std::uint64_t other_calls = 0, polls = 0;
        CurrentCall last;
    };
    Polls polls();

    /* A call in this thread, of which the outermost is marked. Calls nest if a callback calls MPI. The
     * call site is noted only if the process can hang there. */
    class Call {
      public:
        template <typename AnyCall>
        Call(Recorder &recorder, AnyCall &call)
        {
            const void *address = nullptr;
            if constexpr (may_wait<AnyCall>())
                address = call.calling_address();
            thread_ = recorder.begin(AnyCall::id, address);
        }
        ~Call()
        {
            if (!is_inner())
                thread_->end();
        }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;

        bool is_inner() const { return thread_ == nullptr; }

        /* It has tested for something that has not happened. */
        void polled()
        {
            if (!is_inner())
                thread_->polled();
        }

      private:
        Thread *thread_ = nullptr;
    };

  private:
    /* Each call writes its numbers anew, as Record::open() may lose what a call has written. */
    struct Thread {
        explicit Thread(Activity &activity) : activity(activity) {}

        void end()
        {
            is_in_call = false;
            activity.current.store(0, std::memory_order_relaxed);
        }

        void polled()
        {
            polls.store(polls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            last_poll.store(activity.current.load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
        }

        Activity &activity;
        std::atomic<std::uint64_t> polls{0},
            last_poll{0}; /* calls that tested in vain; the last one */
        std::uint64_t calls = 0;
        bool is_in_call = false;
    };

    struct Slot {
        const Recorder *recorder;
        Thread *thread;
    };

    /* nullptr: in a call already */
    Thread *begin(int function, const void *address);
    Thread &own();
    void enter(Slot &slot);

    /* By instance; more instances share slots and look up their threads. */
    static constexpr std::size_t slots = 8;
    static inline thread_local Slot own_[slots]; /* zeros */

    Record &record_;
    Sites &sites_;
    const std::size_t slot_;
    std::mutex lock_;
    std::map<std::thread::id, Thread> threads_;
    std::map<std::tuple<Kind, int, std::string, std::string>, std::atomic<std::uint64_t> *>
        findings_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_RECORDER_HPP_INCLUDED */
