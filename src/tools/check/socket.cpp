/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "socket.hpp"

#include "../common/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace qmpi::check {

/* ---- Socket ---- */

Socket &Socket::operator=(Socket &&other) noexcept
{
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

Socket::~Socket()
{
    if (descriptor_ >= 0)
        close(descriptor_);
}

void Socket::prepare()
{
    timeval limit{};
    limit.tv_sec = max_wait / 1000;
    setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const auto set = [this](int level, int option, int value) {
        setsockopt(descriptor_, level, option, &value, sizeof value);
    };
    constexpr int interval = 5; /* s */
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, interval);
    set(IPPROTO_TCP, TCP_KEEPINTVL, interval);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, max_wait);
    set(IPPROTO_TCP, TCP_NODELAY, 1);
}

bool Socket::send_all(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool Socket::receive_all(char *bytes, std::size_t size)
{
    while (size > 0) {
        const ssize_t number = recv(descriptor_, bytes, size, 0);
        if (number < 0 && errno == EINTR)
            continue;
        if (number <= 0)
            return false;
        bytes += number;
        size -= static_cast<std::size_t>(number);
    }
    return true;
}

bool Socket::receive_pending(std::string &bytes)
{
    char buffer[65536];
    const ssize_t number = recv(descriptor_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (number > 0)
        bytes.append(buffer, static_cast<std::size_t>(number));
    return number > 0 || (number < 0 && (errno == EINTR || errno == EAGAIN));
}

void Socket::shut_down()
{
    shutdown(descriptor_, SHUT_RDWR);
}

/* ---- listening and connecting ---- */

namespace {

/* Not open on failure. */
template <typename Name>
Socket listener_at(Name name)
{
    const int no = 0;
    const auto *generic = reinterpret_cast<const sockaddr *>(&name);
    Socket made(socket(generic->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (generic->sa_family == AF_INET6)
        setsockopt(made.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (made.is_open() &&
        (bind(made.descriptor(), generic, sizeof name) != 0 ||
         listen(made.descriptor(), SOMAXCONN) != 0))
        made.end();
    return made;
}

}  // namespace

Socket make_listener(bool is_on_loopback)
{
    sockaddr_in6 both{};
    both.sin6_family = AF_INET6;
    Socket made = is_on_loopback ? Socket() : listener_at(both);
    if (made.is_open())
        return made;
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(is_on_loopback ? INADDR_LOOPBACK : INADDR_ANY);
    made = listener_at(name);
    if (!made.is_open())
        throw std::runtime_error(std::string("cannot listen by TCP: ") + std::strerror(errno));
    return made;
}

int port_of(const Socket &socket)
{
    char port[NI_MAXSERV] = "";
    sockaddr_storage name{};
    socklen_t length = sizeof name;
    auto *generic = reinterpret_cast<sockaddr *>(&name);
    if (getsockname(socket.descriptor(), generic, &length) != 0 ||
        getnameinfo(generic, length, nullptr, 0, port, sizeof port, NI_NUMERICSERV) != 0)
        throw std::runtime_error("cannot listen by TCP: the port is unknown");
    return std::stoi(port);
}

Socket connection_to(const std::string &host, int port)
{
    const std::string failure = "cannot connect to " + host + " by TCP: ";
    const char *name = host == host_name() ? "127.0.0.1" : host.c_str();
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    const int error = getaddrinfo(name, std::to_string(port).c_str(), &hints, &found);
    if (error != 0)
        throw std::runtime_error(failure + gai_strerror(error));
    const std::unique_ptr<addrinfo, void (*)(addrinfo *)> keep(found, freeaddrinfo);
    for (; found != nullptr; found = found->ai_next) {
        Socket made(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        made.prepare();
        if (made.is_open() && connect(made.descriptor(), found->ai_addr, found->ai_addrlen) == 0)
            return made;
    }
    throw std::runtime_error(failure + std::strerror(errno));
}

void reserve_descriptors(int number)
{
    constexpr rlim_t others = 256;
    const rlim_t needed = static_cast<rlim_t>(number) + others;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return;
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < needed)
        throw std::runtime_error("needs " + std::to_string(needed) +
                                 " open files, but the limit is " + std::to_string(limit.rlim_max) +
                                 " (ulimit -Hn)");
}

}  // namespace qmpi::check
