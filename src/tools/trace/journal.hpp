/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Journals of the tool "trace": one memory-mapped file per thread. A record is in the file at once,
 * even if the process is killed then. A journal is self-contained: it defines all that its records
 * refer to. */

#ifndef TOOLS_TRACE_JOURNAL_HPP_INCLUDED
#define TOOLS_TRACE_JOURNAL_HPP_INCLUDED

#include "../common/record.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace qmpi::trace {

enum class Kind : std::uint8_t {
    end = 0, /* nothing recorded from here on */

    /* Calls; subject: call site. */
    enter,
    leave,

    /* Communication, with a Transfer; subject: communicator. */
    send,
    receive,
    isend,
    isend_done,
    irecv,
    irecv_done,
    cancelled,
    collective_begin,
    collective_end,
    icollective,
    icollective_done,

    /* Definitions, serialised by a Writer; subject: the number defined. */
    process,
    site,
    communicator,
    clock,

    stopped /* later records of the thread are lost */
};

/* Precedes each record. Sizes are in words of 8 bytes, including this head. */
struct Head {
    std::uint32_t kind : 8, words : 24;
    std::uint32_t subject;
    std::uint64_t time; /* qmpi::now() */

    Kind what() const { return static_cast<Kind>(kind); }
};
static_assert(sizeof(Head) == 16, "a file format");

/* Subject for a communicator with members outside the world. */
inline constexpr std::uint32_t no_subject = ~std::uint32_t{0};

/* One message or one part of a collective operation. */
struct Transfer {
    std::int32_t peer =
        0; /* rank in the communicator (remote group of an intercommunicator), or root */
    std::int32_t tag = 0;
    std::uint64_t sent = 0; /* bytes */
    std::uint64_t received = 0;
    std::uint64_t request = 0;  /* links start and end of an operation */
    std::uint64_t function = 0; /* that started it */
};

/* Folder of the journals of a process. Journals stay in memory until it is known. Thread-safe. */
class Store {
  public:
    /* tool: name for messages; limit: bytes of all journals of this process; window: bytes mapped
     * per journal, at most. */
    Store(std::string tool, std::uint64_t limit, std::size_t window);

    /* A folder, and what its journals have in common. rank is part of the file names; introduction defines
     * the process. */
    struct Place {
        std::string folder;
        int rank = 0;
        std::string introduction;

        std::string path_of(int thread) const;
    };

    /* Creates the folder if needed; throws std::runtime_error on failure. A second call gives another
     * folder, to which each thread moves its journal with its next record. */
    void open(const std::string &folder, int rank, std::string introduction);

    /* Called to open the store when a journal outgrows memory. */
    void set_opener(std::function<void()> opener) { opener_ = std::move(opener); }
    void open_now() const { opener_(); }

    /* &unknown_place until the store is open. */
    static const Place unknown_place;
    const Place *place() const { return place_.load(std::memory_order_acquire); }
    bool is_open() const { return place() != &unknown_place; }
    bool is_stopped() const { return is_stopped_.load(std::memory_order_relaxed); }
    std::size_t window() const { return window_; }

    /* Counts bytes against the limit; false if recording must stop. */
    bool reserve(std::uint64_t bytes);
    void give_back(std::uint64_t bytes) { used_.fetch_sub(bytes); }

    /* Stops all recording, with one message unless the reason is empty or is_quiet. */
    void stop(const std::string &reason);
    void set_quiet(bool is_quiet) { is_quiet_ = is_quiet; }

    /* Of stop(); empty if it was not called. */
    std::string reason() const;

  private:
    std::string tool_;
    std::function<void()> opener_ = [] {};
    std::atomic<const Place *> place_{&unknown_place}; /* never deleted: other threads use it */
    std::uint64_t limit_;
    std::size_t window_;
    mutable std::mutex lock_;
    std::string reason_;
    std::atomic<bool> is_quiet_{false};
    std::atomic<std::uint64_t> used_{0};
    std::atomic<bool> is_stopped_{false};
};

/* Journal of one thread at a time, used by that thread only, but for attach(). It starts in memory, where
 * each record takes a lock, because another thread may move it to its file. Records that do not fit are
 * lost; the store reports it. */
class Journal {
  public:
    Journal(Store &store, int thread);
    ~Journal();
    Journal(const Journal &) = delete;
    Journal &operator=(const Journal &) = delete;

    void mark(Kind kind, std::uint32_t subject, std::uint64_t time);
    /* Returns false if the record is lost. */
    bool transfer(Kind kind, std::uint32_t subject, std::uint64_t time, const Transfer &transfer);
    void define(Kind kind, std::uint32_t subject, std::string_view content);

    /* If the store is open: moves records from memory to a file. In any thread. */
    void attach();

    /* Truncates and closes the file; the next record opens it again. Records in memory stay there. */
    void close();

    /* Number unique within the process. */
    std::uint64_t new_request()
    {
        return (static_cast<std::uint64_t>(thread_) << 40) + ++requests_;
    }

  private:
    /* Appends a record; the head is written last and makes it valid. Returns false if it is lost. */
    bool append(Kind kind, std::uint32_t subject, std::uint64_t time, const void *content,
                std::size_t bytes);
    bool append_here(Kind kind, std::uint32_t subject, std::uint64_t time, const void *content,
                     std::size_t bytes);
    void put(Kind kind, std::uint32_t subject, std::uint64_t time, const void *content,
             std::size_t bytes);
    void go_to_place();
    bool reopen();
    void open_file(const Store::Place &place);
    void move_file(const Store::Place &place);
    void introduce(const Store::Place &place);
    void note_stop();
    bool make_room(std::size_t bytes);
    bool map_file(std::uint64_t bytes);
    bool map_memory(std::size_t bytes);
    void unmap();

    Store &store_;
    int thread_;
    std::mutex lock_; /* while the journal is in memory, and to move it */
    /* Of the file; nullptr: in memory. Another thread that attaches the journal sets it last. */
    std::atomic<const Store::Place *> place_{nullptr};
    int file_ = -1;
    std::string path_;
    bool is_marked_ = false; /* the file, see mark_as_running() */
    bool has_stopped_ = false;
    char *window_ = nullptr; /* mapped memory */
    char *next_ = nullptr;   /* next record */
    char *end_ = nullptr;
    std::uint64_t begin_ = 0; /* file offset of the window */
    std::uint64_t last_time_ = 0;
    std::uint64_t requests_ = 0;
};

/* A journal for reading. Throws std::runtime_error if the file cannot be read. The journal of a
 * running process is copied, since it may grow and be truncated. */
class JournalFile {
  public:
    using Visit = std::function<void(const Head &, std::string_view content)>;

    explicit JournalFile(std::string path) : file_(std::move(path)) {}

    /* Calls visit for each complete record; content follows the head. The journal ends before a
     * record that is damaged, or of which visit throws std::runtime_error; false if there is one. */
    bool read(const Visit &visit);

    /* The same for what was read, any number of times. */
    void each(const Visit &visit) const;

    Life life(bool is_marked) const { return file_.life(is_marked); }

  private:
    FileContent file_;
    std::size_t end_ = 0;
};

}  // namespace qmpi::trace

#endif /* TOOLS_TRACE_JOURNAL_HPP_INCLUDED */
