/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "record.hpp"

#include "process.hpp"
#include "report.hpp"
#include "text.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace qmpi {
inline namespace v1 {

namespace {

std::string command_line()
{
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!text.empty())
        text.pop_back();
    std::replace(text.begin(), text.end(), '\0', ' ');
    return text;
}

std::string library_version()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    QMPI_Get_library_version(text, &length);
    std::string line(text, std::strcspn(text, "\n"));
    std::replace(line.begin(), line.end(), '\t', ' ');
    return line;
}

/* Of this process, for one record: what the user allows is for the program. */
std::size_t share_of_address_space()
{
    struct rlimit limit {};
    const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_limited ? static_cast<std::size_t>(limit.rlim_cur / 64) : SIZE_MAX;
}

}  // namespace

Introduction introduction_of_process()
{
    Introduction own;
    own.program = program_invocation_short_name;
    own.command = command_line();
    own.library = library_version();
    own.host = host_name();
    own.start = now();
    own.process = static_cast<int>(getpid());
    return own;
}

/* Reserves addresses only: memory that is not accessible counts neither as committed nor as data. */
Record::Record(std::string tool, std::size_t limit, std::size_t chunk)
    : tool_(std::move(tool)), chunk_(chunk), limit_(std::min(limit, share_of_address_space()))
{
    void *memory = MAP_FAILED;
    for (std::size_t size = limit_; memory == MAP_FAILED; size /= 2) {
        if (size < chunk && limit_ == chunk)
            throw std::bad_alloc();
        limit_ = std::max(size / chunk, std::size_t{1}) * chunk;
        memory =
            mmap(nullptr, limit_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    base_ = static_cast<char *>(memory);
    if (!allocate(chunk))
        throw std::bad_alloc();
    head_ = new (base_) RecordHead;
}

/* The memory of a block, after its head. */
char *Record::begin_block(std::size_t bytes)
{
    const std::size_t size = sizeof(BlockHead) + RecordView::rounded(bytes);
    const std::size_t begin = head_->used.load(std::memory_order_relaxed);
    char *memory = base_ + begin;
    if (!make_room(begin + size)) {
        head_->is_incomplete = 1;
        memory = static_cast<char *>(std::calloc(1, size));
        if (memory == nullptr)
            throw std::bad_alloc();
    }
    return memory + sizeof(BlockHead);
}

/* Readers see the block from now on. */
void Record::end_block(char *memory, std::uint32_t kind, std::size_t bytes)
{
    char *const begin = memory - sizeof(BlockHead);
    new (begin) BlockHead{kind, static_cast<std::uint32_t>(bytes)};
    const std::size_t used = head_->used.load(std::memory_order_relaxed);
    if (begin == base_ + used)
        head_->used.store(used + sizeof(BlockHead) + RecordView::rounded(bytes),
                          std::memory_order_release);
    else
        others_.push_back(begin);
}

/* Makes the memory up to end usable and, if there is a file, part of it. */
bool Record::make_room(std::size_t end)
{
    if (end > limit_) {
        complain_once(
            print("the record is full (%zu MB); a report after a crash lacks later entries",
                  limit_ >> 20));
        return false;
    }
    if (end <= usable_)
        return true;
    return is_open() ? map(up_to_chunk(end)) : allocate(up_to_chunk(end));
}

/* Such an end of memory. */
std::size_t Record::up_to_chunk(std::size_t end) const
{
    return std::min(limit_, (end + chunk_ - 1) / chunk_ * chunk_);
}

bool Record::allocate(std::size_t end)
{
    const bool is_allocated = mprotect(base_ + usable_, end - usable_, PROT_READ | PROT_WRITE) == 0;
    if (is_allocated)
        usable_ = end;
    else
        complain_once("no memory for the record; a report after a crash lacks later entries");
    return is_allocated;
}

/* Without room on the disk the memory must not be mapped: writing to it would end the process. */
bool Record::map(std::size_t end)
{
    const std::size_t size = end - usable_;
    int reason = posix_fallocate(file_, static_cast<off_t>(usable_), static_cast<off_t>(size));
    if (reason == 0 &&
        mmap(base_ + usable_, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_,
             static_cast<off_t>(usable_)) == MAP_FAILED)
        reason = errno;
    if (reason == 0)
        usable_ = end;
    else
        complain_once("cannot write " + path_ + ": " + std::strerror(reason) +
                      "; a report after a crash lacks later entries");
    return reason == 0;
}

void Record::complain_once(const std::string &reason)
{
    if (!has_complained_)
        complain(tool_.c_str(), rank_text_ + reason);
    has_complained_ = true;
}

void Record::open(const std::string &path, Introduction introduction)
{
    Writer writer;
    writer.put(introduction);
    add(Block::introduction, writer.take());

    const std::lock_guard<std::mutex> guard(lock_);
    auto fail = [&](int reason) {
        throw std::runtime_error("cannot write " + path + ": " + std::strerror(reason));
    };
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0)
        fail(errno);
    const std::size_t used = head_->used.load(std::memory_order_relaxed);
    const std::size_t end = up_to_chunk(used);
    auto give_up = [&](int reason) {
        close(file);
        unlink(path.c_str());
        fail(reason);
    };
    if (const int reason = posix_fallocate(file, 0, static_cast<off_t>(end)))
        give_up(reason);
    head_->is_marked = mark_as_running(file);
    if (const int reason = move_to(file, end))
        give_up(reason);
    if (is_open()) {
        close(file_);
        remove_files();
    }
    path_ = path;
    rank_text_ = introduction.has_world() ? "rank " + std::to_string(introduction.rank) + ": " : "";
    file_ = file;
    usable_ = end;
}

/* Continues in a file, or in memory if that is -1. The blocks stay where they are for threads that are
 * in a call. Returns 0 or an errno. */
int Record::move_to(int file, std::size_t bytes)
{
    const int kind = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    void *const copy = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind, file, 0);
    if (copy == MAP_FAILED)
        return errno;
    using Word = std::atomic<std::uint64_t>;
    const std::size_t words = head_->used.load(std::memory_order_relaxed) / sizeof(Word);
    for (std::size_t i = 0; i < words; i++)
        static_cast<Word *>(copy)[i].store(
            reinterpret_cast<Word *>(base_)[i].load(std::memory_order_relaxed),
            std::memory_order_relaxed);
    /* UCX replaces mremap() by a function without the last argument. */
    if (syscall(SYS_mremap, copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, base_) >= 0)
        return 0;
    const int reason = errno;
    munmap(copy, bytes);
    return reason;
}

/* NFS keeps a file that is mapped or open, under another name, and so its folder. */
void Record::remove()
{
    const std::lock_guard<std::mutex> guard(lock_);
    if (!is_open())
        return;
    move_to(-1, usable_);
    close(std::exchange(file_, -1));
    remove_files();
}

void Record::remove_files() const
{
    unlink(path_.c_str());
    rmdir(path_.substr(0, path_.rfind('/')).c_str());
}

RecordView Record::view()
{
    const std::lock_guard<std::mutex> guard(lock_);
    return RecordView({base_, head_->used.load(std::memory_order_acquire)}, others_);
}

/* ---- reading ---- */

RecordView::RecordView(std::string_view content, std::vector<const char *> others)
    : others_(std::move(others))
{
    if (content.size() < sizeof(RecordHead) ||
        std::memcmp(content.data(), RecordHead().magic, sizeof RecordHead().magic) != 0)
        throw std::runtime_error("this is not a record of these tools");
    const auto *head = reinterpret_cast<const RecordHead *>(content.data());
    content_ =
        content.substr(0, static_cast<std::size_t>(head->used.load(std::memory_order_acquire)));
    is_incomplete_ = head->is_incomplete.load(std::memory_order_relaxed) != 0;
    is_marked_ = head->is_marked != 0;
}

Introduction RecordView::introduction() const
{
    Introduction found;
    bool has_one = false;
    each([&](std::uint32_t kind, std::string_view content) {
        if (kind != static_cast<std::uint32_t>(Block::introduction))
            return;
        Reader reader(content);
        reader.get(found);
        has_one = true;
    });
    const auto is_control = [](unsigned char c) { return std::iscntrl(c) != 0; };
    if (!has_one || std::any_of(found.tool.begin(), found.tool.end(), is_control))
        throw std::runtime_error("the record does not say what it is");
    constexpr int most_processes = 1 << 24; /* a report of one record lists those that it lacks */
    require_undamaged(found.has_world() ? found.rank < found.size && found.size <= most_processes
                                        : found.rank == -1 && found.size == 1);
    return found;
}

/* ---- files of a running process ---- */

/* The kernel removes such a lock when the process ends; a child made by fork does not have it. */
bool mark_as_running(int file)
{
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return fcntl(file, F_SETLK, &lock) == 0;
}

namespace {

Life life_of(int file)
{
    struct flock lock {};
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    if (fcntl(file, F_GETLK, &lock) != 0)
        return Life::unknown;
    return lock.l_type == F_UNLCK ? Life::ended : Life::running;
}

/* Fewer bytes than size if the file has become shorter, or if it cannot be read. */
std::vector<char> read_all(int file, std::size_t size)
{
    std::vector<char> content(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t number =
            pread(file, content.data() + done, size - done, static_cast<off_t>(done));
        if (number < 0 && errno == EINTR)
            continue;
        if (number <= 0)
            break;
        done += static_cast<std::size_t>(number);
    }
    content.resize(done);
    return content;
}

}  // namespace

FileContent::FileContent(std::string path) : path_(std::move(path))
{
    const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    void *mapped = nullptr;
    bool is_read = file >= 0 && fstat(file, &status) == 0;
    const auto size = static_cast<std::size_t>(status.st_size);
    if (is_read)
        life_ = life_of(file);
    if (is_read && life_ == Life::running) {
        copy_ = read_all(file, size);
        content_ = {copy_.data(), copy_.size()};
    } else if (is_read && size > 0) {
        mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
        is_read = mapped != MAP_FAILED;
        content_ = {static_cast<const char *>(mapped), size};
    }
    const int reason = errno;
    if (file >= 0)
        close(file);
    if (!is_read)
        throw std::runtime_error("cannot read " + path_ + ": " + std::strerror(reason));
}

FileContent::~FileContent()
{
    if (life_ != Life::running && !content_.empty())
        munmap(const_cast<char *>(content_.data()), content_.size());
}

/* ---- folders ---- */

std::string numbered(const std::string &stem, int number)
{
    return number == 1 ? stem : stem + "-" + std::to_string(number);
}

std::string make_new_folder(const std::string &stem, const std::string &ending)
{
    std::error_code fault;
    for (int number = 1; !fault && number < max_names; number++) {
        const std::string name = numbered(stem, number) + ending;
        if (std::filesystem::create_directory(name, fault))
            return name;
    }
    throw std::runtime_error("cannot write " + stem + ending + ": " +
                             (fault ? fault.message() : "too many folders of this name"));
}

std::vector<std::string> record_files_in(const std::string &path)
{
    std::error_code fault;
    if (!std::filesystem::is_directory(path, fault))
        return {path};
    std::vector<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(path, fault)) {
        if (ends_in(entry.path().filename().string(), record_ending))
            files.push_back(entry.path().string());
    }
    if (fault)
        throw std::runtime_error("cannot read " + path + ": " + fault.message());
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace v1
}  // namespace qmpi
