/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "recorder.hpp"

#include <algorithm>
#include <new>

namespace qmpi::check {

std::string SiteBlock::written() const
{
    Writer writer;
    writer.put(number);
    writer.put(location.module);
    writer.put(location.offset);
    return writer.take();
}

SiteBlock SiteBlock::read(std::string_view content)
{
    Reader reader(content);
    SiteBlock site;
    site.number = reader.get<std::uint32_t>();
    site.location.module = reader.get<std::string>();
    site.location.offset = reader.get<std::uint64_t>();
    return site;
}

std::string DistrustBlock::written() const
{
    Writer writer;
    writer.put(calls);
    writer.put(reason);
    writer.put(communicator);
    return writer.take();
}

DistrustBlock DistrustBlock::read(std::string_view content)
{
    Reader reader(content);
    DistrustBlock distrust;
    distrust.calls = reader.get<std::uint64_t>();
    distrust.reason = reader.get<std::string>();
    distrust.communicator = reader.get<std::string>();
    return distrust;
}

/* ---- Recorder ---- */

Recorder::Recorder(Record &record, int number, Sites &sites)
    : record_(record), sites_(sites), slot_(static_cast<std::size_t>(number) % slots)
{
    sites.on_new([this](std::uint32_t site, const CodeLocation &location) {
        const std::lock_guard<std::mutex> guard(lock_);
        record_.add(RecordBlock::site, SiteBlock{site, location}.written());
    });
}

/* The block is published after it has the number 1, so that no reader misses a finding. */
bool Recorder::found(const Finding &finding)
{
    const std::lock_guard<std::mutex> guard(lock_);
    auto &times = findings_[{finding.kind, finding.rank, finding.function, finding.place.text()}];
    if (times != nullptr) {
        times->fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    Writer writer;
    finding.write(writer);
    const std::string bytes = writer.take();
    char *const block = record_.allocate<char>(RecordBlock::finding, sizeof *times + bytes.size());
    times = new (block) std::atomic<std::uint64_t>(1);
    std::copy(bytes.begin(), bytes.end(), block + sizeof *times);
    Record::publish(block);
    return true;
}

void Recorder::distrusted(const std::string &reason, const std::string &communicator)
{
    const std::lock_guard<std::mutex> guard(lock_);
    DistrustBlock distrust{0, reason, communicator};
    for (const auto &[thread, activity] : activities_)
        distrust.calls += activity->calls.load(std::memory_order_relaxed);
    record_.add(RecordBlock::distrust, distrust.written());
}

void Recorder::omitted(const Omission &omission)
{
    Writer writer;
    writer.put(omission);
    record_.add(RecordBlock::omission, writer.take());
}

void Recorder::suppressed_by(const std::string &suppressions)
{
    record_.add(RecordBlock::suppressions, suppressions);
}

Activity *Recorder::begin(int function, const void *address)
{
    Activity &activity = *own().activity;
    if (activity.current.load(std::memory_order_relaxed) != 0)
        return nullptr;
    activity.calls.store(activity.calls.load(std::memory_order_relaxed) + 1,
                         std::memory_order_relaxed);
    activity.current.store(CurrentCall{function, sites_.number_of(address)}.packed(),
                           std::memory_order_relaxed);
    return &activity;
}

/* Not inlined: gcc looks up a variable of a shared library's thread at each use. */
[[gnu::noinline]] Recorder::Thread &Recorder::own()
{
    Thread &own = own_[slot_];
    if (own.recorder != this)
        enter(own);
    return own;
}

/* A thread with the id of an earlier one continues its numbers. */
void Recorder::enter(Thread &own)
{
    const std::lock_guard<std::mutex> guard(lock_);
    Activity *&activity = activities_[std::this_thread::get_id()];
    if (activity == nullptr) {
        activity = new (record_.allocate<Activity>(RecordBlock::thread)) Activity;
        Record::publish(activity);
    }
    if (own.recorder == nullptr)
        activity->current.store(0, std::memory_order_relaxed);
    own = {this, activity};
}

}  // namespace qmpi::check
