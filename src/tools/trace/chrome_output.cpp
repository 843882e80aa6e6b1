/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "chrome_output.hpp"

#include "categories.hpp"

#include "../common/process.hpp"
#include "../common/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <tuple>

#include <fcntl.h>
#include <unistd.h>

namespace qmpi::trace {
namespace {

using qmpi::print;

/* A new text file, in place of an old one, that keeps its first error. */
class File {
  public:
    explicit File(std::string path) : path_(std::move(path))
    {
        unlink(path_.c_str());
        const int file =
            open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        file_ = file < 0 ? nullptr : fdopen(file, "w");
        check(file_ != nullptr);
    }

    ~File()
    {
        if (file_ != nullptr)
            std::fclose(file_);
    }

    File(const File &) = delete;
    File &operator=(const File &) = delete;

    void write(std::string_view text)
    {
        if (file_ != nullptr)
            check(std::fwrite(text.data(), 1, text.size(), file_) == text.size());
    }

    void append(const std::string &part)
    {
        std::FILE *const source = std::fopen(part.c_str(), "r");
        check(source != nullptr);
        if (source == nullptr)
            return;
        char piece[1 << 16];
        for (std::size_t size; (size = std::fread(piece, 1, sizeof piece, source)) > 0;)
            write(std::string_view(piece, size));
        std::fclose(source);
    }

    /* Returns the first error. */
    std::string close()
    {
        if (file_ != nullptr)
            check(std::fclose(std::exchange(file_, nullptr)) == 0);
        return reason_;
    }

  private:
    void check(bool is_right)
    {
        if (!is_right && reason_.empty())
            reason_ = "cannot write " + path_ + ": " + std::strerror(errno);
    }

    std::string path_, reason_;
    std::FILE *file_ = nullptr;
};

std::string text_of(const std::string &text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/* Flow ids without communication: the nth message of a channel (communicator, tag, sender,
 * receiver) is the nth on both sides, as messages do not overtake. */
struct Channel {
    std::uint32_t communicator;
    std::int64_t source, destination;
    std::int32_t tag;

    auto key() const { return std::tie(communicator, source, destination, tag); }
    bool operator<(const Channel &other) const { return key() < other.key(); }
};

struct End {
    Channel channel;
    std::uint64_t matched; /* time of the send, or of posting the receive; see request */
    std::uint64_t shown;
    std::int32_t thread;
    std::uint64_t bytes;
    std::uint64_t request = 0; /* of a nonblocking receive, which another thread may have posted */
};

class Events : public Sink {
  public:
    Events(File &file, const Definitions &definitions) : file_(file), definitions_(definitions)
    {
        for (const auto &entry : definitions.functions) {
            functions_.push_back(text_of(entry.first));
            categories_.push_back(
                text_of(category_names[static_cast<std::size_t>(category_of(id_of(entry.first)))]));
        }
        for (const auto &entry : definitions.sites)
            sites_.push_back(text_of(entry.first.caller));
        for (const auto &entry : definitions.communicators)
            communicators_.push_back(&entry.first);
    }

    void begin(std::int32_t rank, std::int32_t thread) override
    {
        rank_ = rank;
        thread_ = thread;
        clock_ = &definitions_.processes.at(rank).clock;
    }

    void enter(std::uint64_t time, std::uint32_t, std::uint32_t site) override
    {
        open_.push_back({time, site, 0, 0});
    }

    void leave(std::uint64_t time, std::uint32_t function, bool has_ended) override
    {
        const Open call = open_.back();
        open_.pop_back();
        const std::uint64_t begin = clock_->global(call.begin), end = clock_->global(time);
        std::string text = ",\n{\"ph\":\"X\",\"name\":" + functions_[function] +
            ",\"cat\":" + categories_[function] + place() +
            ",\"ts\":" + microseconds(begin - definitions_.begin) +
            ",\"dur\":" + microseconds(end - begin) +
            ",\"args\":{\"call site\":" + sites_[call.site];
        if (call.sent > 0)
            text += print(",\"bytes sent\":%" PRIu64, call.sent);
        if (call.received > 0)
            text += print(",\"bytes received\":%" PRIu64, call.received);
        if (!has_ended)
            text += ",\"not ended\":true";
        file_.write(text + "}}");
    }

    void transfer(Kind kind, std::uint64_t time, std::uint32_t communicator,
                  const Transfer &transfer) override
    {
        if (!open_.empty()) {
            open_.back().sent += transfer.sent;
            open_.back().received += transfer.received;
        }
        if (kind == Kind::irecv)
            posted_[transfer.request] = time;
        else if (kind == Kind::send || kind == Kind::isend)
            sends_.push_back(
                {channel(communicator, transfer, true), time, time, thread_, transfer.sent});
        else if (kind == Kind::receive)
            receives_.push_back({channel(communicator, transfer, false), begin_of_call(time), time,
                                 thread_, transfer.received});
        else if (kind == Kind::irecv_done)
            receives_.push_back({channel(communicator, transfer, false), time, time, thread_,
                                 transfer.received, transfer.request});
    }

    void end() override {}

    /* After all threads of a process. */
    void write_flows()
    {
        for (End &end : receives_) {
            const auto found = posted_.find(end.request);
            if (found != posted_.end())
                end.matched = found->second;
        }
        write_flows(sends_, "\"ph\":\"s\"");
        write_flows(receives_, "\"ph\":\"f\",\"bp\":\"e\"");
        sends_.clear();
        receives_.clear();
        posted_.clear();
    }

  private:
    struct Open {
        std::uint64_t begin;
        std::uint32_t site;
        std::uint64_t sent, received;
    };

    std::string place() const
    {
        return print(",\"pid\":%" PRId32 ",\"tid\":%" PRId32, rank_, thread_);
    }

    static std::string microseconds(std::uint64_t nanoseconds)
    {
        return print("%" PRIu64 ".%03u", nanoseconds / 1000,
                     static_cast<unsigned>(nanoseconds % 1000));
    }

    Channel channel(std::uint32_t communicator, const Transfer &transfer, bool is_send) const
    {
        const std::int64_t peer = communicators_[communicator]->world_rank_of(transfer.peer, rank_);
        return {communicator, is_send ? rank_ : peer, is_send ? peer : rank_, transfer.tag};
    }

    std::uint64_t begin_of_call(std::uint64_t time) const
    {
        return open_.empty() ? time : open_.back().begin;
    }

    void write_flows(std::vector<End> &ends, const char *phase)
    {
        std::map<Channel, std::uint64_t> numbers;
        std::stable_sort(ends.begin(), ends.end(),
                         [](const End &a, const End &b) { return a.matched < b.matched; });
        for (const End &end : ends) {
            const Channel &c = end.channel;
            thread_ = end.thread;
            const std::uint64_t time = clock_->global(end.shown) - definitions_.begin;
            file_.write(print(",\n{%s,\"name\":\"message\",\"cat\":\"message\",\"id\":\"%" PRIu32
                              ".%" PRId64 ".%" PRId64 ".%" PRId32 ".%" PRIu64 "\"",
                              phase, c.communicator, c.source, c.destination, c.tag, numbers[c]++) +
                        place() + ",\"ts\":" + microseconds(time) +
                        print(",\"args\":{\"bytes\":%" PRIu64 "}}", end.bytes));
        }
    }

    File &file_;
    const Definitions &definitions_;
    std::vector<std::string> functions_, categories_, sites_;
    std::vector<const Communicator *> communicators_;
    const Clock *clock_ = nullptr;
    std::int32_t rank_ = 0, thread_ = 0;
    std::vector<Open> open_;
    std::vector<End> sends_, receives_;
    std::map<std::uint64_t, std::uint64_t> posted_;
};

}  // namespace

std::string write_chrome_events(const std::string &path, const Definitions &definitions,
                                const std::vector<Recording> &recordings)
{
    File file(path);
    Events events(file, definitions);
    for (std::size_t i = 0; i < recordings.size(); i++) {
        replay(recordings[i], definitions, events);
        if (i + 1 == recordings.size() || recordings[i + 1].rank != recordings[i].rank)
            events.write_flows();
    }
    return file.close();
}

std::string join_chrome_events(const std::string &path, const std::vector<std::string> &parts,
                               const Definitions &definitions)
{
    const std::string temporary = path + "." + host_name() + "-" + std::to_string(getpid()) + "~";
    File file(temporary);
    file.write(
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"creator\":\"QMPI tool trace\"},\n"
        "\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"trace\",\"pid\":0,\"args\":{}}");
    for (const auto &[rank, process] : definitions.processes) {
        const std::string name = text_of("Rank " + std::to_string(rank) + " on " + process.host);
        file.write(print(",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%" PRId32
                         ",\"args\":{\"name\":%s}}",
                         rank, name.c_str()));
        file.write(print(",\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%" PRId32
                         ",\"args\":{\"sort_index\":%" PRId32 "}}",
                         rank, rank));
        for (const std::int32_t thread : process.threads)
            file.write(print(",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%" PRId32
                             ",\"tid\":%" PRId32 ",\"args\":{\"name\":\"Thread %" PRId32 "\"}}",
                             rank, thread, thread));
    }
    for (const std::string &part : parts)
        file.append(part);
    file.write("\n]}\n");
    std::string reason = file.close();
    if (reason.empty() && std::rename(temporary.c_str(), path.c_str()) != 0)
        reason = "cannot write " + path + ": " + std::strerror(errno);
    if (!reason.empty())
        unlink(temporary.c_str());
    return reason;
}

}  // namespace qmpi::trace
