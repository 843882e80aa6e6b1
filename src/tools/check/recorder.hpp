/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Record of a process: its findings, its calls, and why it is not compared with others. A finding
 * is in the record of the process that found it; those of the analyser are in that of rank 0. */

#ifndef TOOLS_CHECK_RECORDER_HPP_INCLUDED
#define TOOLS_CHECK_RECORDER_HPP_INCLUDED

#include "findings.hpp"

#include "../common/record.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace qmpi::check {

/* Blocks of a record. finding: its number of times, then the Finding. distrust: number of calls,
 * then the reason. */
enum class RecordBlock : std::uint32_t {
    thread = static_cast<std::uint32_t>(Block::first_own),
    site,
    finding,
    distrust
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

/* Where a call site is; the reader of the record looks up file and line. */
struct SiteBlock {
    std::uint32_t number = 0;
    CodeLocation location;

    std::string written() const;
    static SiteBlock read(std::string_view content);
};

struct DistrustBlock {
    std::uint64_t calls = 0;
    std::string reason;

    std::string written() const;
    static DistrustBlock read(std::string_view content);
};

/* Thread-safe. */
class Recorder {
  public:
    explicit Recorder(Record &record) : record_(record) {}

    void found(const Finding &finding);
    void distrusted(const std::string &reason);

    /* Marks a call of the application in this thread. */
    class Call {
      public:
        Call(Recorder &recorder, int function, const void *address)
            : activity_(recorder.begin(function, address))
        {
        }
        ~Call() { activity_.current.store(0, std::memory_order_relaxed); }
        Call(const Call &) = delete;
        Call &operator=(const Call &) = delete;

      private:
        Activity &activity_;
    };

  private:
    /* Of a thread; the last call site is remembered, as most calls are in loops. */
    struct Thread {
        const Recorder *recorder = nullptr;
        Activity *activity = nullptr;
        const void *address = nullptr;
        std::uint32_t site = 0;
    };

    Activity &begin(int function, const void *address);
    Thread thread();
    std::uint32_t number_of(const void *address);

    static thread_local Thread own_;

    Record &record_;
    std::mutex lock_;
    std::map<std::thread::id, Activity *> activities_;
    std::unordered_map<const void *, std::uint32_t> sites_;
    std::map<std::tuple<Kind, int, std::string, std::string>, std::atomic<std::uint64_t> *>
        findings_;
};

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_RECORDER_HPP_INCLUDED */
