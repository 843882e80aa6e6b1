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
    const std::lock_guard<std::mutex> guard(lock_);
    socket_ = connection_to(hub);
    output_.clear();
    Writer(output_).put(Frame{0, rank});
    if (!socket_.send_all(output_) || !is_answered()) {
        end();
        throw std::runtime_error("no answer from rank 0");
    }
    is_up_ = true;
}

void Client::flush()
{
    const std::lock_guard<std::mutex> guard(lock_);
    send();
    std::string answers; /* none: they are awaited under the lock */
    if (socket_.is_open() && !socket_.receive_pending(answers))
        end();
}

void Client::disconnect()
{
    const std::lock_guard<std::mutex> guard(lock_);
    end();
}

bool Client::close_event(std::size_t begin, bool wants_answer)
{
    set_size(&output_[begin], output_.size() - begin - Head::bytes);
    if (!wants_answer && output_.size() < 16384)
        return socket_.is_open();
    send();
    if (wants_answer && socket_.is_open() && !is_answered())
        end();
    return socket_.is_open();
}

void Client::send()
{
    if (output_.size() <= Frame::bytes)
        return;
    set_size(output_.data(), output_.size() - Frame::bytes);
    if (socket_.is_open() && !socket_.send_all(output_))
        end();
    output_.resize(Frame::bytes);
}

bool Client::is_answered()
{
    char answer[Answer::bytes];
    if (!socket_.receive_all(answer, sizeof answer))
        return false;
    value_ = Reader({answer, sizeof answer}).get<Answer>().value;
    return true;
}

void Client::end()
{
    socket_.end();
    is_up_ = false;
}

}  // namespace qmpi::check
