/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "definitions.hpp"

#include "../common/call_sites.hpp"
#include "../common/process.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include <unistd.h>

namespace qmpi::trace {

/* ---- clocks ---- */

void Process::add(const Process &other, std::int32_t thread)
{
    host = other.host;
    program = other.program;
    pid = other.pid;
    epoch = other.epoch;
    is_marked = other.is_marked;
    for (const ClockPoint &point : other.clock.points())
        clock.add(point);
    threads.push_back(thread);
}

void Clock::add(ClockPoint point)
{
    const auto found =
        std::upper_bound(points_.begin(), points_.end(), point,
                         [](const ClockPoint &a, const ClockPoint &b) { return a.time < b.time; });
    points_.insert(found, point);
}

std::uint64_t Clock::global(std::uint64_t time) const
{
    if (points_.empty())
        return time;
    const ClockPoint &first = points_.front(), &last = points_.back();
    auto offset = static_cast<double>(first.offset);
    if (last.time > first.time) {
        const double part = (static_cast<double>(time) - static_cast<double>(first.time)) /
            static_cast<double>(last.time - first.time);
        offset += part * static_cast<double>(last.offset - first.offset);
    }
    return time + static_cast<std::uint64_t>(std::llround(offset));
}

std::uint64_t Clock::local(std::uint64_t global) const
{
    if (points_.empty())
        return global;
    const std::uint64_t near = global - static_cast<std::uint64_t>(points_.front().offset);
    return global - (this->global(near) - near);
}

/* ---- groups ---- */

Group group_of(const std::vector<int> &ranks)
{
    Group group;
    for (std::size_t i = 0; i < ranks.size();) {
        const std::int64_t first = ranks[i];
        const std::int64_t step = i + 1 < ranks.size() ? ranks[i + 1] - first : 1;
        std::int64_t number = 1;
        while (i + static_cast<std::size_t>(number) < ranks.size() &&
               ranks[i + static_cast<std::size_t>(number)] == first + number * step)
            number++;
        group.insert(group.end(), {first, step, number});
        i += static_cast<std::size_t>(number);
    }
    return group;
}

std::vector<std::uint64_t> members_of(const Group &group)
{
    std::vector<std::uint64_t> members;
    for (std::size_t i = 0; i + 2 < group.size(); i += 3) {
        for (std::int64_t n = 0; n < group[i + 2]; n++)
            members.push_back(static_cast<std::uint64_t>(group[i] + n * group[i + 1]));
    }
    return members;
}

namespace {

std::int64_t member_of(const Group &group, std::int64_t index)
{
    for (std::size_t i = 0; i + 2 < group.size(); i += 3) {
        if (index < group[i + 2])
            return group[i] + index * group[i + 1];
        index -= group[i + 2];
    }
    return -1;
}

bool contains(const Group &group, std::int64_t rank)
{
    for (std::size_t i = 0; i + 2 < group.size(); i += 3) {
        const std::int64_t distance = rank - group[i], step = group[i + 1];
        if (step == 0
                ? distance == 0
                : distance % step == 0 && distance / step >= 0 && distance / step < group[i + 2])
            return true;
    }
    return false;
}

}  // namespace

std::int64_t Communicator::world_rank_of(std::int32_t peer, std::int32_t me) const
{
    if (is_self())
        return me;
    return member_of(is_inter && contains(own, me) ? remote : own, peer);
}

/* ---- definitions in a journal ---- */

std::string describe_process(int rank, int size, const std::string &host,
                             const std::string &program)
{
    qmpi::Writer writer;
    writer.put(static_cast<std::int32_t>(rank));
    writer.put(static_cast<std::int32_t>(size));
    writer.put(host);
    writer.put(program);
    writer.put(static_cast<std::int64_t>(getpid()));
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    writer.put(static_cast<std::uint64_t>(std::chrono::nanoseconds(wall).count()) - qmpi::now());
    return writer.take();
}

std::string describe_site(std::string_view function, const std::string &module,
                          std::uint64_t offset)
{
    qmpi::Writer writer;
    writer.put(function);
    writer.put(module);
    writer.put(offset);
    return writer.take();
}

std::string describe_communicator(std::uint64_t id, const std::string &name, bool is_inter,
                                  const std::vector<int> &own, const std::vector<int> &remote)
{
    qmpi::Writer writer;
    writer.put(Communicator{id, is_inter, group_of(own), group_of(remote), name});
    return writer.take();
}

std::string describe_clock(const ClockPoint &point)
{
    qmpi::Writer writer;
    writer.put(point);
    return writer.take();
}

namespace {

bool has_members_below(const Group &group, std::int64_t size)
{
    for (std::size_t i = 0; i + 2 < group.size(); i += 3) {
        const std::int64_t first = group[i], step = group[i + 1], number = group[i + 2];
        const auto is_rank = [size](std::int64_t rank) { return rank >= 0 && rank < size; };
        if (!is_rank(first) || number <= 0 || number > size || step < -size || step > size ||
            !is_rank(first + (number - 1) * step))
            return false;
    }
    return true;
}

Communicator read_communicator(qmpi::Reader &reader, std::int64_t world_size)
{
    auto communicator = reader.get<Communicator>();
    if (!has_members_below(communicator.own, world_size) ||
        !has_members_below(communicator.remote, world_size))
        throw std::runtime_error("ranks that do not exist");
    if (!communicator.is_inter && communicator.own.size() == 3 && communicator.own[2] == 1) {
        communicator.id = 0;
        communicator.own.clear();
        communicator.name = "MPI_COMM_SELF";
    }
    if (communicator.remote < communicator.own && communicator.is_inter)
        std::swap(communicator.own, communicator.remote);
    return communicator;
}

/* Cache: resolving a call site opens files, and threads share sites. */
class Sites {
  public:
    Site read(qmpi::Reader &reader)
    {
        Site site;
        site.function = reader.get<std::string>();
        qmpi::CodeLocation location;
        location.module = reader.get<std::string>();
        location.offset = reader.get<std::uint64_t>();
        auto [found, is_new] = known_.try_emplace({location.module, location.offset});
        if (is_new)
            found->second = sites_.find(location);
        site.caller = location.module.empty() ? "" : text_of(found->second);
        site.file = found->second.file;
        site.line = found->second.line;
        return site;
    }

  private:
    qmpi::CallSites sites_;
    std::map<std::pair<std::string, std::uint64_t>, qmpi::CallSite> known_;
};

template <typename Value>
void set(std::vector<Value> &values, std::uint32_t number, Value value)
{
    constexpr std::uint32_t most = 1u << 24;
    if (number >= most)
        throw std::runtime_error("a number that no journal has");
    if (values.size() <= number)
        values.resize(number + 1);
    values[number] = std::move(value);
}

/* rank is -1 for an empty journal: recording had already stopped. */
Recording read_recording(const std::string &path, Sites &sites)
{
    Recording recording;
    recording.rank = -1;
    recording.file = std::make_shared<JournalFile>(path);
    recording.is_damaged = !recording.file->read([&](const Head &head, std::string_view content) {
        qmpi::Reader reader(content);
        if (head.what() == Kind::process) {
            read_process(head, content, recording);
        } else if (head.what() == Kind::site) {
            set(recording.sites, head.subject, sites.read(reader));
        } else if (head.what() == Kind::communicator) {
            set(recording.communicators, head.subject, read_communicator(reader, recording.size));
        } else if (head.what() == Kind::clock) {
            recording.process.clock.add(reader.get<ClockPoint>());
        } else if (head.what() == Kind::stopped) {
            recording.has_stopped = true;
        } else {
            recording.begin = std::min<std::uint64_t>(recording.begin, head.time);
            recording.end = head.time;
            if (head.what() == Kind::enter)
                recording.open_calls++;
            else if (head.what() == Kind::leave && recording.open_calls > 0)
                recording.open_calls--;
        }
    });
    if (recording.is_damaged)
        std::fprintf(
            stderr, "trace: %s is damaged; its records after %.6f s are left out\n", path.c_str(),
            recording.end == 0 ? 0 : static_cast<double>(recording.end - recording.begin) * 1e-9);
    return recording;
}

}  // namespace

void read_process(const Head &head, std::string_view content, Recording &recording)
{
    qmpi::Reader reader(content);
    Process &process = recording.process;
    const auto rank = reader.get<std::int32_t>();
    recording.thread = static_cast<std::int32_t>(head.subject);
    recording.size = reader.get<std::int32_t>();
    reader.get(process.host);
    reader.get(process.program);
    reader.get(process.pid);
    reader.get(process.epoch);
    reader.get(process.is_marked);
    recording.rank = rank;
}

std::vector<Recording> read_recordings(const std::vector<std::string> &paths)
{
    Sites sites;
    std::vector<Recording> recordings;
    for (const std::string &path : paths) {
        Recording recording = read_recording(path, sites);
        if (recording.rank < 0)
            continue;
        if (!recordings.empty() && recordings.front().size != recording.size)
            throw std::runtime_error(paths.front() + " and " + path + " are of different runs");
        recordings.push_back(std::move(recording));
    }
    return recordings;
}

/* ---- definitions of all processes ---- */

Definitions::Definitions(const std::vector<Recording> &recordings)
{
    size_ = recordings.empty() ? 0 : recordings.front().size; /* the same for all */
    for (const Recording &recording : recordings) {
        processes[recording.rank].add(recording.process, recording.thread);
        for (const Site &site : recording.sites) {
            sites.emplace(site, 0);
            functions.emplace(site.function, 0);
        }
        for (const Communicator &communicator : recording.communicators)
            communicators.emplace(communicator, 0);
    }
    /* When the clocks are known. */
    for (const Recording &recording : recordings) {
        const Clock &clock = processes[recording.rank].clock;
        if (recording.end == 0)
            continue;
        begin = std::min(begin, clock.global(recording.begin));
        end = std::max(end, clock.global(recording.end));
    }
    if (end < begin)
        begin = end;
    number();
}

void Definitions::number()
{
    auto count = [](auto &map) {
        std::uint32_t number = 0;
        for (auto &entry : map)
            entry.second = number++;
    };
    count(functions);
    count(sites);
    count(communicators);
}

void Definitions::add_missing()
{
    for (std::int32_t rank = 0; rank < size_; rank++)
        processes.try_emplace(rank);
}

void Definitions::write(qmpi::Writer &writer) const
{
    writer.put(size_);
    writer.put(begin);
    writer.put(end);
    writer.put(processes);
    writer.put(functions);
    writer.put(sites);
    writer.put(communicators);
}

void Definitions::merge(qmpi::Reader &reader)
{
    size_ = std::max(size_, reader.get<std::int32_t>());
    begin = std::min(begin, reader.get<std::uint64_t>());
    end = std::max(end, reader.get<std::uint64_t>());
    processes.merge(reader.get<decltype(processes)>());
    functions.merge(reader.get<decltype(functions)>());
    sites.merge(reader.get<decltype(sites)>());
    communicators.merge(reader.get<decltype(communicators)>());
    number();
}

/* ---- calls in progress ---- */

void extend_open_calls(std::vector<Recording> &recordings, Definitions &definitions)
{
    /* The journal of a thread that has ended is that of a running process all the same. */
    std::set<std::int32_t> running;
    for (const Recording &recording : recordings) {
        if (recording.process.host == host_name() &&
            recording.file->life(recording.process.is_marked) == Life::running)
            running.insert(recording.rank);
    }
    std::uint64_t end = 0;
    for (const Recording &recording : recordings) {
        if (running.count(recording.rank) == 0 && recording.end != 0)
            end =
                std::max(end, definitions.processes.at(recording.rank).clock.global(recording.end));
    }
    for (Recording &recording : recordings) {
        if (recording.open_calls == 0 || recording.has_stopped || recording.is_damaged)
            continue;
        const Clock &clock = definitions.processes.at(recording.rank).clock;
        recording.open_until =
            std::max(recording.end, running.count(recording.rank) > 0 ? now() : clock.local(end));
        definitions.end = std::max(definitions.end, clock.global(recording.open_until));
    }
}

/* ---- replay ---- */

void replay(const Recording &recording, const Definitions &definitions, Sink &sink)
{
    struct Numbers {
        std::uint32_t function, site;
    };
    std::vector<Numbers> sites;
    for (const Site &site : recording.sites)
        sites.push_back({definitions.function_of(site.function), definitions.number_of(site)});
    std::vector<std::uint32_t> communicators;
    for (const Communicator &communicator : recording.communicators)
        communicators.push_back(definitions.number_of(communicator));

    std::vector<std::uint32_t> open; /* functions, no_subject if unknown */
    std::uint64_t last = 0;
    const auto leave = [&](std::uint64_t time, bool has_ended) {
        if (open.empty())
            return;
        if (open.back() != no_subject)
            sink.leave(time, open.back(), has_ended);
        open.pop_back();
    };
    sink.begin(recording.rank, recording.thread);
    recording.file->each([&](const Head &head, std::string_view content) {
        if (head.what() >= Kind::process)
            return;
        last = head.time;
        if (head.what() == Kind::enter) {
            /* A definition may be lost when the limit is reached or the disk is full. */
            const bool is_defined = head.subject < sites.size();
            open.push_back(is_defined ? sites[head.subject].function : no_subject);
            if (is_defined)
                sink.enter(head.time, open.back(), sites[head.subject].site);
        } else if (head.what() == Kind::leave) {
            leave(head.time, true);
        } else if (head.subject < communicators.size() && content.size() >= sizeof(Transfer)) {
            Transfer transfer;
            std::memcpy(&transfer, content.data(), sizeof transfer);
            sink.transfer(head.what(), head.time, communicators[head.subject], transfer);
        }
    });
    const bool has_ended = recording.open_until == 0;
    while (!open.empty())
        leave(has_ended ? last : recording.open_until, has_ended);
    sink.end();
}

}  // namespace qmpi::trace
