/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "journal.hpp"

#include "../common/report.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace qmpi::trace {

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t first_window = 16 * page;

/* Kept at the end of each journal for the last measurement of the clock, which comes after the limit. */
constexpr std::size_t room_for_clock = 64;

std::uint64_t whole_pages(std::uint64_t bytes)
{
    return (bytes + page - 1) / page * page;
}

}  // namespace

/* ---- Store ---- */

Store::Store(std::string tool, std::uint64_t limit, std::size_t window)
    : tool_(std::move(tool)), limit_(limit), window_(whole_pages(std::max(window, first_window)))
{
}

void Store::open(const std::string &folder, int rank, std::string introduction)
{
    std::error_code fault;
    std::filesystem::create_directories(folder, fault);
    if (fault)
        throw std::runtime_error("cannot write " + folder + ": " + fault.message());
    place_.store(new Place{folder, rank, std::move(introduction)}, std::memory_order_release);
}

const Store::Place Store::unknown_place;

std::string Store::Place::path_of(int thread) const
{
    return folder + "/" + std::to_string(rank) + "." + std::to_string(thread) + ".journal";
}

bool Store::reserve(std::uint64_t bytes)
{
    if (is_stopped())
        return false;
    if (used_.fetch_add(bytes) + bytes <= limit_)
        return true;
    used_.fetch_sub(bytes);
    stop("rank " + std::to_string(place()->rank) + ": the limit of " +
         std::to_string(limit_ >> 20) + " MB is reached, recording stops (set limit=MB)");
    return false;
}

void Store::stop(const std::string &reason)
{
    if (is_stopped_.exchange(true))
        return;
    {
        const std::lock_guard<std::mutex> guard(lock_);
        reason_ = reason;
    }
    if (!reason.empty() && !is_quiet_)
        qmpi::complain(tool_.c_str(), reason);
}

std::string Store::reason() const
{
    const std::lock_guard<std::mutex> guard(lock_);
    return reason_;
}

/* ---- Journal ---- */

Journal::Journal(Store &store, int thread) : store_(store), thread_(thread) {}

Journal::~Journal()
{
    close();
    unmap();
}

void Journal::mark(Kind kind, std::uint32_t subject, std::uint64_t time)
{
    append(kind, subject, time, nullptr, 0);
}

bool Journal::transfer(Kind kind, std::uint32_t subject, std::uint64_t time,
                       const Transfer &transfer)
{
    return append(kind, subject, time, &transfer, sizeof transfer);
}

void Journal::define(Kind kind, std::uint32_t subject, std::string_view content)
{
    append(kind, subject, 0, content.data(), content.size()); /* at the last time */
}

bool Journal::append(Kind kind, std::uint32_t subject, std::uint64_t time, const void *content,
                     std::size_t bytes)
{
    if (__builtin_expect(place_.load(std::memory_order_acquire) == store_.place(), 1))
        return append_here(kind, subject, time, content, bytes);
    const std::lock_guard<std::mutex> guard(lock_);
    go_to_place();
    return append_here(kind, subject, time, content, bytes);
}

inline bool Journal::append_here(Kind kind, std::uint32_t subject, std::uint64_t time,
                                 const void *content, std::size_t bytes)
{
    const std::size_t size = sizeof(Head) + (bytes + 7) / 8 * 8;
    const std::size_t room = size + (kind == Kind::clock ? 0 : room_for_clock);
    if (static_cast<std::size_t>(end_ - next_) < room && !make_room(room)) {
        note_stop();
        return false;
    }
    put(kind, subject, time, content, bytes);
    return true;
}

/* A call in progress may end later. */
void Journal::note_stop()
{
    if (!has_stopped_ && static_cast<std::size_t>(end_ - next_) >= room_for_clock)
        put(Kind::stopped, 0, last_time_, nullptr, 0);
    has_stopped_ = true;
}

/* There is room. */
inline void Journal::put(Kind kind, std::uint32_t subject, std::uint64_t time, const void *content,
                         std::size_t bytes)
{
    const std::size_t words = (sizeof(Head) + bytes + 7) / 8;
    last_time_ = std::max(last_time_, time); /* a nested call may have been recorded */
    Head head{};
    head.kind = static_cast<std::uint8_t>(kind);
    head.words = static_cast<std::uint32_t>(words) & 0xffffffu;
    head.subject = subject;
    head.time = last_time_;
    if (bytes > 0)
        std::memcpy(next_ + sizeof head, content, bytes);
    std::memcpy(next_ + 8, reinterpret_cast<const char *>(&head) + 8, 8);
    std::uint64_t first;
    std::memcpy(&first, &head, sizeof first);
    __atomic_store_n(reinterpret_cast<std::uint64_t *>(next_), first, __ATOMIC_RELEASE);
    next_ += words * 8;
}

bool Journal::make_room(std::size_t bytes)
{
    if (store_.is_stopped())
        return false;
    const auto used = static_cast<std::size_t>(next_ - window_);
    if (file_ < 0 && !store_.is_open() && used + bytes > store_.window())
        store_.open_now();
    if (file_ < 0 && begin_ > 0)
        reopen();
    else if (file_ < 0)
        go_to_place();
    if (file_ >= 0)
        return static_cast<std::size_t>(end_ - next_) >= bytes || map_file(bytes);
    return map_memory(bytes);
}

/* Doubles the size, up to a window. */
bool Journal::map_file(std::uint64_t bytes)
{
    const std::uint64_t used = begin_ + static_cast<std::uint64_t>(next_ - window_);
    const std::uint64_t begin = used / page * page;
    const std::uint64_t reserved = begin_ + static_cast<std::uint64_t>(end_ - window_);
    const std::uint64_t growth =
        std::min<std::uint64_t>(std::max<std::uint64_t>(used, first_window), store_.window());
    const std::uint64_t end = whole_pages(std::max(begin + growth, used + bytes));
    if (!store_.reserve(end - reserved))
        return false;
    /* Allocate blocks now: a full disk would cause SIGBUS inside an MPI call. */
    int reason =
        posix_fallocate(file_, static_cast<off_t>(reserved), static_cast<off_t>(end - reserved));
    void *mapped = MAP_FAILED;
    if (reason == 0) {
        mapped = mmap(nullptr, end - begin, PROT_READ | PROT_WRITE, MAP_SHARED, file_,
                      static_cast<off_t>(begin));
        reason = mapped == MAP_FAILED ? errno : 0;
    }
    if (reason != 0) {
        store_.stop("cannot write " + path_ + ": " + std::strerror(reason) +
                    "; this process stops recording");
        return false;
    }
    unmap();
    window_ = static_cast<char *>(mapped);
    begin_ = begin;
    next_ = window_ + (used - begin);
    end_ = window_ + (end - begin);
    return true;
}

/* Before MPI_Init the folder is unknown; there is little to record. */
bool Journal::map_memory(std::size_t bytes)
{
    const auto used = static_cast<std::size_t>(next_ - window_);
    const std::size_t size = whole_pages(std::max(2 * used, first_window) + bytes);
    if (!store_.reserve(size - static_cast<std::size_t>(end_ - window_)))
        return false;
    void *mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        store_.stop(std::string("out of memory: ") + std::strerror(errno));
        return false;
    }
    if (used > 0)
        std::memcpy(mapped, window_, used);
    unmap();
    window_ = static_cast<char *>(mapped);
    next_ = window_ + used;
    end_ = window_ + size;
    return true;
}

void Journal::attach()
{
    const std::lock_guard<std::mutex> guard(lock_);
    if (place_.load(std::memory_order_relaxed) == nullptr)
        go_to_place();
}

/* In the thread of the journal if it has a file. */
void Journal::go_to_place()
{
    const Store::Place *const place = store_.place();
    if (place == &Store::unknown_place || place == place_ || store_.is_stopped())
        return;
    if (begin_ > 0 && file_ < 0 && !reopen())
        return;
    if (file_ >= 0)
        move_file(*place);
    else
        open_file(*place);
    place_.store(place, std::memory_order_release);
}

/* After close(), for the next thread. */
bool Journal::reopen()
{
    file_ = ::open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file_ >= 0)
        is_marked_ = mark_as_running(file_);
    else
        store_.stop("cannot write " + path_ + ": " + std::strerror(errno));
    return file_ >= 0;
}

void Journal::open_file(const Store::Place &place)
{
    const std::string path = place.path_of(thread_);
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) {
        store_.stop("cannot write " + path + ": " + std::strerror(errno));
        return;
    }

    char *const memory = window_;
    const auto used = static_cast<std::size_t>(next_ - window_);
    const auto size = static_cast<std::size_t>(end_ - window_);
    file_ = file;
    path_ = path;
    window_ = next_ = end_ = nullptr;
    store_.give_back(size);
    const std::uint64_t last_time = std::exchange(last_time_, 0);
    is_marked_ = mark_as_running(file);
    introduce(place);
    last_time_ = last_time;
    if (used > 0 && (static_cast<std::size_t>(end_ - next_) >= used || map_file(used))) {
        std::memcpy(next_, memory, used);
        next_ += used;
    }
    if (memory != nullptr)
        munmap(memory, size);
}

/* A reader takes the last introduction. */
void Journal::move_file(const Store::Place &place)
{
    const std::string path = place.path_of(thread_);
    if (rename(path_.c_str(), path.c_str()) != 0) {
        store_.stop("cannot move " + path_ + " to " + path + ": " + std::strerror(errno));
        return;
    }
    path_ = path;
    introduce(place);
}

void Journal::introduce(const Store::Place &place)
{
    const std::string content = place.introduction + static_cast<char>(is_marked_);
    append_here(Kind::process, static_cast<std::uint32_t>(thread_), 0, content.data(),
                content.size());
}

void Journal::close()
{
    const std::lock_guard<std::mutex> guard(lock_);
    if (file_ < 0)
        return;
    const std::uint64_t used = begin_ + static_cast<std::uint64_t>(next_ - window_);
    const std::uint64_t reserved = begin_ + static_cast<std::uint64_t>(end_ - window_);
    unmap();
    /* If that fails, the rest is zeros, which also mean the end. */
    if (ftruncate(file_, static_cast<off_t>(used)) == 0)
        store_.give_back(reserved - used);
    begin_ = used;
    ::close(std::exchange(file_, -1));
}

void Journal::unmap()
{
    if (window_ != nullptr)
        munmap(window_, static_cast<std::size_t>(end_ - window_));
    window_ = next_ = end_ = nullptr;
}

/* ---- JournalFile ---- */

namespace {

Head head_at(std::string_view bytes)
{
    Head head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    return head;
}

std::size_t size_of(const Head &head)
{
    return std::size_t{head.words} * 8;
}

std::string_view content_of(const Head &head, std::string_view bytes)
{
    return bytes.substr(sizeof head, size_of(head) - sizeof head);
}

}  // namespace

bool JournalFile::read(const Visit &visit)
{
    std::uint64_t last_time = 0;
    for (std::string_view rest = file_.content(); rest.size() >= sizeof(Head);) {
        const Head head = head_at(rest);
        const std::size_t size = size_of(head);
        if (head.what() == Kind::end)
            break;
        if (head.what() > Kind::stopped || size < sizeof head || size > rest.size() ||
            head.time < last_time)
            return false;
        try {
            visit(head, content_of(head, rest));
        } catch (const std::runtime_error &) {
            return false;
        }
        last_time = head.time;
        end_ += size;
        rest.remove_prefix(size);
    }
    return true;
}

void JournalFile::each(const Visit &visit) const
{
    for (std::string_view rest = file_.content().substr(0, end_); !rest.empty();) {
        const Head head = head_at(rest);
        visit(head, content_of(head, rest));
        rest.remove_prefix(size_of(head));
    }
}

}  // namespace qmpi::trace
