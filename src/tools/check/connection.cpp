/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "connection.hpp"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace qmpi::check {
namespace {

/* The first field of a frame, and of an event's head. */
void set_size(char *first, std::size_t bytes)
{
    const auto size = static_cast<std::uint32_t>(bytes);
    std::memcpy(first, &size, sizeof size);
}

}  // namespace

void Client::connect(const Address &hub, int rank)
{
    const std::lock_guard<std::mutex> socket_guard(socket_lock_), guard(lock_);
    socket_ = connection_to(hub);
    output_.clear();
    Writer(output_).put(Frame{0, rank});
    is_up_ = socket_.send_all(output_);
    if (!is_up_ || !answer()) {
        end();
        throw std::runtime_error("no answer from rank 0");
    }
}

void Client::flush()
{
    const std::lock_guard<std::mutex> guard(socket_lock_);
    send();
    std::string answers; /* none: they are awaited under the lock */
    if (is_up() && !socket_.receive_pending(answers))
        end();
}

void Client::disconnect()
{
    const std::lock_guard<std::mutex> guard(socket_lock_);
    end();
}

void Client::close_event(std::size_t begin)
{
    set_size(&output_[begin], output_.size() - begin - Head::bytes);
}

void Client::send()
{
    {
        const std::lock_guard<std::mutex> guard(lock_);
        if (output_.size() <= Frame::bytes)
            return;
        sent_.swap(output_);
        output_.assign(sent_, 0, Frame::bytes);
    }
    set_size(sent_.data(), sent_.size() - Frame::bytes);
    if (is_up() && !socket_.send_all(sent_))
        end();
}

/* The value of the next one; none if the connection has ended. */
std::optional<int> Client::answer()
{
    char bytes[Answer::bytes];
    if (is_up() && !socket_.receive_all(bytes, sizeof bytes))
        end();
    if (!is_up())
        return {};
    return Reader({bytes, sizeof bytes}).get<Answer>().value;
}

void Client::end()
{
    socket_.end();
    is_up_ = false;
}

}  // namespace qmpi::check
