/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "recorder.hpp"

#include <algorithm>

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
    using Times = std::atomic<std::uint64_t>;
    times = &record_.make<Times>(
        RecordBlock::finding,
        [&bytes](Times &made) {
            made.store(1, std::memory_order_relaxed);
            std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char *>(&made + 1));
        },
        bytes.size());
    return true;
}

void Recorder::distrusted(const std::string &reason, const std::string &communicator)
{
    const std::lock_guard<std::mutex> guard(lock_);
    DistrustBlock distrust{0, reason, communicator};
    for (const auto &[id, thread] : threads_)
        distrust.calls += thread.activity.calls.load(std::memory_order_relaxed);
    record_.add(RecordBlock::distrust, distrust.written());
}

Recorder::Polls Recorder::polls()
{
    const std::lock_guard<std::mutex> guard(lock_);
    Polls all;
    for (const auto &[id, thread] : threads_) {
        const std::uint64_t polls = thread.polls.load(std::memory_order_relaxed);
        all.polls += polls;
        all.other_calls += thread.activity.calls.load(std::memory_order_relaxed) - polls;
        if (polls > 0)
            all.last = CurrentCall::unpacked(thread.last_poll.load(std::memory_order_relaxed));
    }
    return all;
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

Recorder::Thread *Recorder::begin(int function, const void *address)
{
    Thread &thread = own();
    if (thread.is_in_call)
        return nullptr;
    thread.is_in_call = true;
    thread.activity.calls.store(++thread.calls, std::memory_order_relaxed);
    thread.activity.current.store(CurrentCall{function, sites_.number_of(address)}.packed(),
                                  std::memory_order_relaxed);
    return &thread;
}

/* Not inlined: gcc looks up a variable of a shared library's thread at each use. */
[[gnu::noinline]] Recorder::Thread &Recorder::own()
{
    Slot &slot = own_[slot_];
    if (slot.recorder != this)
        enter(slot);
    return *slot.thread;
}

/* A thread with the id of an earlier one continues its numbers. */
void Recorder::enter(Slot &slot)
{
    const std::lock_guard<std::mutex> guard(lock_);
    const auto id = std::this_thread::get_id();
    auto known = threads_.find(id);
    if (known == threads_.end())
        known = threads_.try_emplace(id, record_.make<Activity>(RecordBlock::thread)).first;
    if (slot.recorder == nullptr)
        known->second.is_in_call = false;
    slot = {this, &known->second};
}

}  // namespace qmpi::check
