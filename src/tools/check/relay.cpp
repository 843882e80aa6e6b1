/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "relay.hpp"

#include "../common/wire.hpp"

namespace qmpi::check {

void Relay::connect(const Address &parent)
{
    parent_ = connection_to(parent);
    watch(parent_.descriptor());
}

void Relay::finish(std::chrono::duration<double> longest)
{
    std::unique_lock<std::mutex> guard(lock_);
    ended_.wait_for(guard, longest, [this] { return !is_needed_; });
    guard.unlock();
    close();
}

void Relay::take(int rank, std::string_view events)
{
    Writer(output_).put(Frame{static_cast<std::uint32_t>(events.size()), rank});
    output_.append(events);
}

void Relay::lost(int rank)
{
    Writer(output_).put(Frame{Frame::lost, rank});
}

void Relay::idle()
{
    if (!output_.empty() && !parent_.send_all(output_))
        leave();
    output_.clear();
    const std::lock_guard<std::mutex> guard(lock_);
    is_needed_ = has_processes();
    if (!is_needed_)
        ended_.notify_all();
}

void Relay::ready()
{
    if (!parent_.receive_pending(answers_)) {
        leave();
        return;
    }
    Reader reader(answers_);
    for (std::size_t left = answers_.size(); left >= Answer::bytes; left -= Answer::bytes)
        answer(reader.get<Answer>());
    answers_.erase(0, answers_.size() - answers_.size() % Answer::bytes);
}

/* Its processes find their connections closed too. */
void Relay::leave()
{
    parent_.end();
    disconnect();
}

}  // namespace qmpi::check
