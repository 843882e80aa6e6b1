/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Record files: what an instance has measured in one process, current at any moment. The tool keeps
 * its numbers in blocks of a record. When the world begins the record becomes a mapped file, so
 * the numbers are in the file even if the process is killed then. Reports are made from records:
 * by the tool itself at a good end, by qmpi_report otherwise. */

#ifndef QMPI_RECORD_HPP_INCLUDED
#define QMPI_RECORD_HPP_INCLUDED

#include "wire.hpp"

#include <qmpi.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace qmpi {
inline namespace v1 {

/* First bytes of a record. The format is that of the machine and of this version of the tools. */
struct RecordHead {
    char magic[8] = {'Q', 'M', 'P', 'I', 'r', 'e', 'c', '3'};
    std::atomic<std::uint64_t> used{sizeof(RecordHead)}; /* bytes, including this head */
    std::atomic<std::uint64_t> is_incomplete{0};         /* a limit or a full disk was reached */
    std::uint64_t is_marked = 0;                         /* see mark_as_running() */
};

/* Precedes each block. */
struct BlockHead {
    std::uint32_t kind;
    std::uint32_t bytes; /* of the block without this head */
};

/* Kinds that all tools have; a tool's own kinds follow. */
enum class Block : std::uint32_t { introduction, first_own };

/* Process and tool that have written a record. */
struct Introduction {
    std::string tool;
    std::string arguments;
    std::string folder; /* where the record was made: one for each run of an instance */
    int instance = 1, instances = 1, tool_id = 1;
    int rank = 0, size = 1; /* rank -1: a process without MPI_COMM_WORLD */
    std::string absent;
    std::string program, command, library, host, begin;
    std::uint64_t start = 0; /* now() when the record began */
    int process = 0;

    bool has_world() const { return rank >= 0; }

    auto fields()
    {
        return std::tie(tool, arguments, folder, instance, instances, tool_id, rank, size, absent,
                        program, command, library, host, begin, start, process);
    }
};

/* The fields that are the same for all tools of this process. */
Introduction introduction_of_process();

/* A record that a tool writes. Never destroyed, since threads may still be in a call when the
 * process exits. */
class Record {
  public:
    /* limit: bytes; beyond it blocks are in memory only. Less if the process has a limit on its address
     * space. The file grows by chunk bytes, a multiple of the page size. */
    Record(std::string tool, std::size_t limit, std::size_t chunk = std::size_t{1} << 18);
    Record(const Record &) = delete;
    Record &operator=(const Record &) = delete;

    /* Adds a block, which never moves: a Type, more bytes of zeros after it, and what fill(block) makes
     * of them. Thread-safe; fill must neither throw nor use the record. */
    template <typename Type, typename Kind, typename Fill>
    Type &make(Kind kind, Fill fill, std::size_t more = 0)
    {
        Type *block = nullptr;
        put(kind, sizeof(Type) + more, [&](void *memory) { fill(*(block = new (memory) Type)); });
        return *block;
    }

    template <typename Type, typename Kind>
    Type &make(Kind kind)
    {
        return make<Type>(kind, [](Type &) {});
    }

    template <typename Kind>
    void add(Kind kind, std::string_view content)
    {
        put(kind, content.size(),
            [&](char *memory) { std::copy(content.begin(), content.end(), memory); });
    }

    /* Moves the record to a new file. Throws std::runtime_error if it cannot be made; the record
     * stays where it was then. A number that another thread changes meanwhile, in a call that is allowed
     * before MPI is initialized, may keep its old value. */
    void open(const std::string &path, Introduction introduction);

    std::size_t limit() const { return limit_; }

    bool is_open() const { return file_ >= 0; }
    const std::string &path() const { return path_; }

    /* Removes the file, and the folder after its last file; the record is in memory again. Numbers that
     * other threads change meanwhile may keep their old values. */
    void remove();

    /* The record so far, with the blocks that are in memory only. */
    class RecordView view();

  private:
    template <typename Kind, typename Fill>
    void put(Kind kind, std::size_t bytes, Fill fill)
    {
        const std::lock_guard<std::mutex> guard(lock_);
        char *const memory = begin_block(bytes);
        fill(memory);
        end_block(memory, static_cast<std::uint32_t>(kind), bytes);
    }

    char *begin_block(std::size_t bytes);
    void end_block(char *memory, std::uint32_t kind, std::size_t bytes);
    bool make_room(std::size_t end);
    std::size_t up_to_chunk(std::size_t end) const;
    bool allocate(std::size_t end);
    bool map(std::size_t end);
    int move_to(int file, std::size_t bytes);
    void complain_once(const std::string &reason);
    void remove_files() const;

    const std::string tool_;
    const std::size_t chunk_;
    std::size_t limit_;
    char *base_ = nullptr; /* limit_ bytes of address space */
    RecordHead *head_ = nullptr;
    std::size_t usable_ = 0; /* bytes of it that are memory, or in the file if it is open */
    std::mutex lock_;
    std::string path_;
    std::string rank_text_; /* "rank 1: "; empty if it has none */
    int file_ = -1;
    bool has_complained_ = false;
    std::vector<const char *> others_; /* blocks that are not in the file */
};

/* Reads the blocks of a record. */
class RecordView {
  public:
    /* content must outlive the view. Throws std::runtime_error if it is no record. */
    explicit RecordView(std::string_view content, std::vector<const char *> others = {});

    /* visit(kind, content) for each complete block. */
    template <typename Visit>
    void each(Visit visit) const
    {
        for (std::size_t at = sizeof(RecordHead); at + sizeof(BlockHead) <= content_.size();) {
            const auto *head = reinterpret_cast<const BlockHead *>(content_.data() + at);
            const std::size_t size = rounded(head->bytes);
            at += sizeof(BlockHead);
            if (size > content_.size() - at)
                break;
            visit(head->kind, content_.substr(at, head->bytes));
            at += size;
        }
        for (const char *other : others_) {
            const auto *head = reinterpret_cast<const BlockHead *>(other);
            visit(head->kind, std::string_view(other + sizeof(BlockHead), head->bytes));
        }
    }

    Introduction introduction() const;
    bool is_incomplete() const { return is_incomplete_; }
    bool is_marked() const { return is_marked_; }

    /* False for a file that a process is about to write. */
    static bool has_begun(std::string_view content)
    {
        return !content.empty() && content.front() != '\0';
    }

    static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

  private:
    std::string_view content_;
    std::vector<const char *> others_;
    bool is_incomplete_ = false, is_marked_ = false;
};

/* Throws std::runtime_error unless what a record from a file says is possible. */
inline void require_undamaged(bool is_possible)
{
    if (!is_possible)
        throw std::runtime_error("the record is damaged");
}

/* A block's content as the structure that the tool keeps there. Throws std::runtime_error. */
template <typename Type>
const Type &block_as(std::string_view content)
{
    require_undamaged(content.size() >= sizeof(Type));
    return *reinterpret_cast<const Type *>(content.data());
}

/* ---- files of a running process ---- */

enum class Life { running, ended, unknown };

/* Locks a file that the process has just created, until the process ends. Returns false if the file
 * system has no locks. The process must not open the file again. */
bool mark_as_running(int file);

/* Content of a file when the object is made. Throws std::runtime_error. */
class FileContent {
  public:
    explicit FileContent(std::string path);
    ~FileContent();
    FileContent(const FileContent &) = delete;
    FileContent &operator=(const FileContent &) = delete;

    const std::string &path() const { return path_; }
    std::string_view content() const { return content_; }

    /* Of the process that wrote the file. One that could not mark it as that of a running process may
     * run all the same. */
    Life life(bool is_marked) const
    {
        return is_marked || life_ == Life::running ? life_ : Life::unknown;
    }

  private:
    std::string path_;
    Life life_ = Life::unknown;
    std::vector<char> copy_;   /* of a running process, which may change the file */
    std::string_view content_; /* mapped, or the copy; aligned */
};

/* ---- folders ---- */

inline constexpr const char *record_ending = ".record";
inline constexpr const char *record_folder_ending = ".records";

/* STEM, STEM-2, ...; there are fewer than max_names. */
std::string numbered(const std::string &stem, int number);
inline constexpr int max_names = 1000;

/* Makes a folder for one run of an instance: STEM and the ending, or STEM-2 and so on if it exists.
 * Throws std::runtime_error. */
std::string make_new_folder(const std::string &stem, const std::string &ending);

/* Names of the record files in a folder, or the file itself. Throws std::runtime_error. */
std::vector<std::string> record_files_in(const std::string &path);

}  // namespace v1
}  // namespace qmpi

#endif /* QMPI_RECORD_HPP_INCLUDED */
