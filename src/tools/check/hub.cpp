/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "hub.hpp"

#include "../common/process.hpp"
#include "../common/quiet_thread.hpp"
#include "../common/wire.hpp"

#include <cerrno>
#include <cstring>
#include <exception>
#include <random>
#include <stdexcept>
#include <utility>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace qmpi::check {
namespace {

template <typename Number>
std::string_view bytes_of(const Number &number)
{
    return {reinterpret_cast<const char *>(&number), sizeof number};
}

/* Returns the result of a call unless it is an error. */
int checked(int result)
{
    if (result < 0)
        throw std::runtime_error(std::string("cannot wait for connections: ") +
                                 std::strerror(errno));
    return result;
}

}  // namespace

std::string text_of(const Address &hub)
{
    return hub.host + ":" + std::to_string(hub.port) + ":" + std::to_string(hub.password);
}

Address address_of(const std::string &text)
{
    const std::size_t password = text.rfind(':'), port = text.rfind(':', password - 1);
    return {text.substr(0, port), std::stoi(text.substr(port + 1)),
            std::stoull(text.substr(password + 1))};
}

Socket connection_to(const Address &hub)
{
    Socket made = connection_to(hub.host, hub.port);
    if (!made.send_all(bytes_of(hub.password)))
        throw std::runtime_error("lost the connection to " + hub.host);
    return made;
}

/* ---- begin and end ---- */

Address Hub::listen(bool is_on_loopback, int connections)
{
    reserve_descriptors(connections);
    listener_ = make_listener(is_on_loopback);
    events_ = Socket(checked(epoll_create1(EPOLL_CLOEXEC)));
    wake_ = Socket(checked(eventfd(0, EFD_CLOEXEC)));
    watch(listener_.descriptor());
    watch(wake_.descriptor());
    std::random_device random;
    password_ = std::uint64_t{random()} << 32 | random();
    return {host_name(), port_of(listener_), password_};
}

void Hub::start()
{
    thread_ = quiet_thread([this] { run(); });
}

void Hub::stop()
{
    stops_ = true;
    if (!thread_.joinable())
        return;
    eventfd_write(wake_.descriptor(), 1);
    thread_.join();
}

void Hub::close()
{
    stop();
    disconnect();
}

void Hub::watch(int descriptor) const
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    checked(epoll_ctl(events_.descriptor(), EPOLL_CTL_ADD, descriptor, &event));
}

/* ---- the thread ---- */

void Hub::run()
{
    /* A derived class uses what has come after each wake-up: not too much. */
    constexpr int most_events = 16;
    epoll_event ready[most_events];
    /* Peers that continue to send must not keep a thread that must stop. */
    constexpr int most_rounds = 1000;
    bool has_input = true;
    for (int last_rounds = 0; !stops_ || (has_input && last_rounds < most_rounds);
         last_rounds += stops_) {
        const int number = epoll_wait(events_.descriptor(), ready, most_events, stops_ ? 0 : 100);
        has_input = false;
        for (int i = 0; i < number; i++)
            has_input |= handle(ready[i].data.fd);
        idle();
    }
}

/* True if there was input. */
bool Hub::handle(int descriptor)
{
    if (descriptor == wake_.descriptor())
        return false;
    const auto peer = peers_.find(descriptor);
    if (descriptor == listener_.descriptor())
        accept();
    else if (peer != peers_.end())
        read(descriptor, peer->second);
    else
        ready();
    return true;
}

void Hub::accept()
{
    Socket made(accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!made.is_open())
        return;
    made.prepare();
    const int descriptor = made.descriptor();
    try {
        watch(descriptor);
        peers_[descriptor].socket = std::move(made);
    } catch (const std::exception &) {
        return; /* the other side finds its connection closed */
    }
}

void Hub::read(int descriptor, Peer &peer)
{
    if (!peer.socket.receive_pending(peer.input) || !take(descriptor, peer))
        remove(descriptor);
}

bool Hub::take(int descriptor, Peer &peer)
{
    std::string_view input = peer.input;
    if (!peer.is_known) {
        if (input.size() < sizeof password_)
            return true;
        if (input.substr(0, sizeof password_) != bytes_of(password_))
            return false;
        peer.is_known = true;
        input.remove_prefix(sizeof password_);
    }
    while (input.size() >= Frame::bytes) {
        const auto frame = Reader(input).get<Frame>();
        const bool is_lost = frame.size == Frame::lost;
        const std::size_t size = is_lost ? 0 : frame.size;
        if (input.size() - Frame::bytes < size)
            break;
        const bool is_world = frame.rank == Frame::newcomers && size > 0;
        if (!is_world &&
            (frame.rank < 0 || frame.rank >= size_ ||
             routes_.emplace(frame.rank, descriptor).first->second != descriptor))
            return false;
        try {
            if (is_world)
                take_newcomers(descriptor, input.substr(Frame::bytes, size));
            else if (is_lost) {
                routes_.erase(frame.rank);
                lost(frame.rank);
            } else
                take(frame.rank, input.substr(Frame::bytes, size));
        } catch (const std::exception &) {
            return false;
        }
        input.remove_prefix(Frame::bytes + size);
    }
    peer.input.erase(0, peer.input.size() - input.size());
    return true;
}

/* All have their routes at once: if the connection ends before they join, they are lost. */
void Hub::take_newcomers(int descriptor, std::string_view input)
{
    const auto world = Reader(input).get<World>();
    if (world.size < 1)
        throw std::runtime_error("world " + world.name + " has no processes");
    const int first = add(world);
    size_ = first + world.size;
    for (int rank = first; rank < size_; rank++)
        routes_.emplace(rank, descriptor);
    answer({first, first});
}

int Hub::add(const World &world)
{
    throw std::runtime_error("world " + world.name + " cannot join here");
}

void Hub::remove(int descriptor)
{
    for (auto route = routes_.begin(); route != routes_.end();) {
        if (route->second == descriptor) {
            lost(route->first);
            route = routes_.erase(route);
        } else
            ++route;
    }
    peers_.erase(descriptor);
}

void Hub::disconnect()
{
    listener_.end();
    routes_.clear();
    peers_.clear();
}

void Hub::answer(Answer answer)
{
    const bool is_last = answer.rank < 0;
    const auto route = routes_.find(is_last ? ~answer.rank : answer.rank);
    if (route == routes_.end())
        return;
    std::string bytes;
    Writer(bytes).put(answer);
    Socket &socket = peers_.at(route->second).socket;
    if (!socket.send_all(bytes))
        socket.shut_down();
    if (is_last)
        routes_.erase(route);
}

}  // namespace qmpi::check
