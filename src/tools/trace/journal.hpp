/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* What the tool "trace" records while the program runs: a journal for each thread, a file that is
 * mapped into memory. What has been recorded is in the file at once, whatever kills the process
 * then. A journal needs nothing else to be understood: what its records name is defined in it. */

#ifndef QMPI_TRACE_JOURNAL_HPP_INCLUDED
#define QMPI_TRACE_JOURNAL_HPP_INCLUDED

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace trace {

enum class Kind : std::uint8_t {
    end = 0, /* nothing was written from here on */

    /* Calls; the subject is a call site. */
    enter,
    leave,

    /* Communication, with a Transfer; the subject is a communicator. */
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

    /* Definitions, with what a Writer wrote; the subject is the number that is defined. */
    process,
    site,
    communicator,
    clock
};

/* Before every record. Sizes are in words of 8 bytes, with this head. */
struct Head {
    std::uint32_t kind : 8, words : 24;
    std::uint32_t subject;
    std::uint64_t time; /* as tools::now() has it */

    Kind what() const { return static_cast<Kind>(kind); }
};
static_assert(sizeof(Head) == 16, "a file format");

/* No communicator as a subject: one that has members outside of the world. */
inline constexpr std::uint32_t no_subject = ~std::uint32_t{0};

/* One message or one part in a collective operation. */
struct Transfer {
    std::int32_t peer = 0; /* rank in the communicator (the remote group of two); or the root */
    std::int32_t tag = 0;
    std::uint64_t sent = 0; /* bytes */
    std::uint64_t received = 0;
    std::uint64_t request = 0;  /* the same number at the start and at the end of an operation */
    std::uint64_t function = 0; /* id of the function that started it */
};

/* The folder with the journals of the processes of a program. Before it is known where that is,
 * journals are kept in memory. All members may be called by any thread. */
class Store {
  public:
    /* tool: name for messages; limit: bytes that the journals of this process may take, window: bytes
     * of a journal that are mapped at a time, at most. */
    Store(std::string tool, std::uint64_t limit, std::size_t window);

    /* Makes the folder if it is not there; false, with a message, if that cannot be. rank names the
     * files; introduction is what the definition of the process says. */
    bool open(const std::string &folder, int rank, std::string introduction);

    /* What opens the store when a journal gets too long for memory. */
    void set_opener(std::function<void()> opener) { opener_ = std::move(opener); }
    void open_now() const { opener_(); }

    bool is_open() const { return is_open_.load(std::memory_order_acquire); }
    bool is_stopped() const { return is_stopped_.load(std::memory_order_relaxed); }
    const std::string &folder() const { return folder_; }
    const std::string &introduction() const { return introduction_; }
    std::size_t window() const { return window_; }
    std::string path_of(int thread) const;

    /* Counts bytes against the limit; false when nothing more can be recorded. */
    bool reserve(std::uint64_t bytes);
    void give_back(std::uint64_t bytes) { used_.fetch_sub(bytes); }

    /* Ends all recording, with one message. An empty reason says nothing. */
    void stop(const std::string &reason);

  private:
    std::string tool_, folder_, introduction_;
    std::function<void()> opener_ = [] {};
    int rank_ = 0;
    std::uint64_t limit_;
    std::size_t window_;
    std::atomic<std::uint64_t> used_{0};
    std::atomic<bool> is_open_{false};
    std::atomic<bool> is_stopped_{false};
};

/* The journal of one thread, which alone may call its members while it records. What does not fit any
 * more is lost without a sign but the store's. */
class Journal {
  public:
    Journal(Store &store, int thread);
    ~Journal();
    Journal(const Journal &) = delete;
    Journal &operator=(const Journal &) = delete;

    void mark(Kind kind, std::uint32_t subject, std::uint64_t time);
    void transfer(Kind kind, std::uint32_t subject, std::uint64_t time, const Transfer &transfer);
    void define(Kind kind, std::uint32_t subject, std::string_view content);

    /* Moves what is in memory to a file, if the store is open now. */
    void attach();

    /* The thread records no more: the file is cut to what is in it. What is in memory stays there. */
    void close();

    int thread() const { return thread_; }

    /* A number that no other operation of the process has. */
    std::uint64_t new_request()
    {
        return (static_cast<std::uint64_t>(thread_) << 40) + ++requests_;
    }

  private:
    /* Appends a record; the head comes last, as it makes the record valid. */
    void append(Kind kind, std::uint32_t subject, std::uint64_t time, const void *content,
                std::size_t bytes);
    bool make_room(std::size_t bytes);
    bool map_file(std::uint64_t bytes);
    bool map_memory(std::size_t bytes);
    void unmap();

    Store &store_;
    int thread_;
    int file_ = -1;
    char *window_ = nullptr; /* what is mapped */
    char *next_ = nullptr;   /* where the next record goes */
    char *end_ = nullptr;
    std::uint64_t begin_ = 0; /* position of the window in the file */
    std::uint64_t last_time_ = 0;
    std::uint64_t requests_ = 0;
};

/* A journal that is read. Throws std::runtime_error where a file cannot be read. */
class JournalFile {
  public:
    explicit JournalFile(std::string path);
    ~JournalFile();
    JournalFile(const JournalFile &) = delete;
    JournalFile &operator=(const JournalFile &) = delete;

    /* Calls visit for every record that is complete; content has what stands behind the head. */
    void each(const std::function<void(const Head &, std::string_view content)> &visit) const;

    const std::string &path() const { return path_; }

  private:
    std::string path_;
    const char *data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace trace

#endif /* QMPI_TRACE_JOURNAL_HPP_INCLUDED */
