/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "relay.hpp"

#include "../common/wire.hpp"

#include <stdexcept>
#include <utility>

namespace qmpi::check {

Entrance Entrance::of(const World &world, const Address &root)
{
    Entrance made{connection_to(root)};
    std::string bytes, fields;
    Writer(fields).put(world);
    Writer(bytes).put(Frame{static_cast<std::uint32_t>(fields.size()), Frame::newcomers});
    char answer[Answer::bytes];
    if (!made.socket.send_all(bytes + fields) || !made.socket.receive_all(answer, sizeof answer))
        throw std::runtime_error("no answer from the processes that have spawned this one");
    made.first = Reader({answer, sizeof answer}).get<Answer>().value;
    return made;
}

void Relay::connect(Socket parent)
{
    parent_ = std::move(parent);
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
