/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "connection.hpp"

#include "../common/process.hpp"
#include "../common/report.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <random>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace qmpi::check {
namespace {

struct Greeting {
    std::uint64_t password = 0;
    std::int64_t rank = 0;
};

}  // namespace

std::thread quiet_thread(std::function<void()> work)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread(std::move(work));
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

Address address_of_host()
{
    Address address;
    host_name().copy(address.host, sizeof address.host - 1);
    return address;
}

/* ---- sockets ---- */

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

void Socket::limit_waiting()
{
    timeval limit{};
    limit.tv_sec = max_wait / 1000;
    setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
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

/* ---- the analyser's side ---- */

namespace {

/* Listens at the name, whose port the system chooses. Not open on failure. */
template <typename Name>
Socket listener_at(Name name)
{
    const int no = 0;
    const auto *generic = reinterpret_cast<const sockaddr *>(&name);
    Socket made(socket(generic->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (generic->sa_family == AF_INET6)
        setsockopt(made.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (made.is_open() &&
        (bind(made.descriptor(), generic, sizeof name) != 0 ||
         listen(made.descriptor(), SOMAXCONN) != 0))
        made.end();
    return made;
}

/* On the loopback interface, or on all; with IPv6 if the host has it. */
Socket make_listener(bool is_one_host)
{
    sockaddr_in6 both{};
    both.sin6_family = AF_INET6;
    Socket made = is_one_host ? Socket() : listener_at(both);
    if (made.is_open())
        return made;
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(is_one_host ? INADDR_LOOPBACK : INADDR_ANY);
    return listener_at(name);
}

/* 0 on failure. */
int port_of(const Socket &socket)
{
    char port[NI_MAXSERV] = "";
    sockaddr_storage name{};
    socklen_t length = sizeof name;
    auto *generic = reinterpret_cast<sockaddr *>(&name);
    return getsockname(socket.descriptor(), generic, &length) == 0 &&
            getnameinfo(generic, length, nullptr, 0, port, sizeof port, NI_NUMERICSERV) == 0
        ? std::stoi(port)
        : 0;
}

}  // namespace

bool Server::start(bool is_one_host, Address &address)
{
    listener_ = make_listener(is_one_host);
    events_ = Socket(epoll_create1(EPOLL_CLOEXEC));
    wake_ = Socket(eventfd(0, EFD_CLOEXEC));
    const int port = port_of(listener_);
    if (port == 0 || !events_.is_open() || !raise_limit() || !watch(listener_.descriptor()) ||
        !wake_.is_open() || !watch(wake_.descriptor()))
        return false;
    std::random_device random;
    password_ = address.password = std::uint64_t{random()} << 32 | random();
    address.port = port;
    host_name().copy(address.host, sizeof address.host - 1);
    thread_ = quiet_thread([this] { run(); });
    return true;
}

void Server::finish(std::chrono::duration<double> longest)
{
    std::unique_lock<std::mutex> guard(lock_);
    ended_.wait_for(guard, longest, [this] { return analyser_.have_all_ended(); });
    analyser_.find_cycles();
    analyser_.find_unreceived();
}

void Server::find_unreceived()
{
    const std::lock_guard<std::mutex> guard(lock_);
    analyser_.find_cycles();
    analyser_.find_unreceived();
}

void Server::stop()
{
    stops_ = true;
    if (!thread_.joinable())
        return;
    eventfd_write(wake_.descriptor(), 1);
    thread_.join();
}

void Server::dismiss()
{
    const std::lock_guard<std::mutex> guard(lock_);
    for (auto &[descriptor, peer] : peers_) {
        if (peer.has_ended && !peer.socket.send_all("!"))
            peer.socket.end();
    }
}

bool Server::raise_limit() const
{
    constexpr rlim_t others = 256;
    const rlim_t needed = static_cast<rlim_t>(analyser_.size()) + others;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed)
        return true;
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= needed)
        return true;
    write_stderr("QMPI check: rank 0 needs " + std::to_string(needed) +
                 " open files, but the limit is " + std::to_string(limit.rlim_max) +
                 " (ulimit -Hn)\n");
    return false;
}

bool Server::watch(int descriptor) const
{
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    return epoll_ctl(events_.descriptor(), EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Server::run()
{
    constexpr int most_events = 256;
    epoll_event ready[most_events];
    /* Process pending input before stopping. */
    for (bool has_input = true; !stops_ || has_input;) {
        const int number = epoll_wait(events_.descriptor(), ready, most_events, stops_ ? 0 : 100);
        has_input = false;
        std::unique_lock<std::mutex> guard(lock_);
        for (int i = 0; i < number; i++) {
            if (ready[i].data.fd == wake_.descriptor())
                continue;
            has_input = true;
            const auto peer = peers_.find(ready[i].data.fd);
            if (ready[i].data.fd == listener_.descriptor())
                accept();
            else if (peer != peers_.end()) {
                read(peer->second);
                if (!peer->second.socket.is_open())
                    peers_.erase(peer);
            }
        }
        if (analyser_.have_all_ended())
            ended_.notify_all();
        if (search()) {
            guard.unlock();
            on_deadlock_();
        }
    }
}

bool Server::search()
{
    if (std::chrono::steady_clock::now() < next_search_)
        return false;
    next_search_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    analyser_.find_cycles();
    return finds_deadlocks_ && analyser_.find_deadlock();
}

void Server::accept()
{
    Socket made(accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
    const int descriptor = made.descriptor();
    made.limit_waiting();
    if (made.is_open() && watch(descriptor))
        peers_[descriptor] = {std::move(made), -1, {}};
}

void Server::read(Peer &peer)
{
    char buffer[65536];
    const ssize_t number = recv(peer.socket.descriptor(), buffer, sizeof buffer, 0);
    if (number < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (number > 0)
        peer.input.append(buffer, static_cast<std::size_t>(number));
    if (number <= 0 || !take(peer)) {
        if (peer.rank >= 0)
            analyser_.lost(peer.rank);
        peer.socket.end();
    }
}

bool Server::take(Peer &peer)
{
    std::string_view input = peer.input;
    if (peer.rank < 0) {
        Greeting greeting;
        if (input.size() < sizeof greeting)
            return true;
        std::memcpy(&greeting, input.data(), sizeof greeting);
        if (greeting.password != password_ || greeting.rank < 0 ||
            greeting.rank >= analyser_.size())
            return false;
        peer.rank = static_cast<int>(greeting.rank);
        input.remove_prefix(sizeof greeting);
    }
    try {
        while (input.size() >= Head::bytes) {
            const auto head = Reader(input).get<Head>();
            if (input.size() < Head::bytes + head.size)
                break;
            Reader reader(input.substr(Head::bytes, head.size));
            analyser_.take(peer.rank, head.event, reader);
            if (head.event == Event::finalized)
                peer.has_ended = head.wants_answer;
            else if (head.wants_answer && !peer.socket.send_all("!"))
                return false;
            input.remove_prefix(Head::bytes + head.size);
        }
    } catch (const std::exception &) {
        return false;
    }
    peer.input.erase(0, peer.input.size() - input.size());
    return true;
}

/* ---- the other side ---- */

namespace {

/* By the first of the host's addresses where something answers. Not open on failure. */
Socket connection_to(const Address &address)
{
    const bool is_here = std::strcmp(address_of_host().host, address.host) == 0;
    addrinfo hints{}, *found = nullptr;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(is_here ? "127.0.0.1" : address.host, std::to_string(address.port).c_str(),
                    &hints, &found) != 0)
        return Socket();
    const std::unique_ptr<addrinfo, void (*)(addrinfo *)> keep(found, freeaddrinfo);
    for (; found != nullptr; found = found->ai_next) {
        Socket made(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
        made.limit_waiting();
        if (made.is_open() && ::connect(made.descriptor(), found->ai_addr, found->ai_addrlen) == 0)
            return made;
    }
    return Socket();
}

}  // namespace

bool Client::connect(const Address &address, int rank)
{
    Socket made = connection_to(address);
    const int one = 1;
    const Greeting greeting{address.password, rank};
    setsockopt(made.descriptor(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (!made.send_all({reinterpret_cast<const char *>(&greeting), sizeof greeting}))
        return false;
    std::lock_guard<std::mutex> guard(lock_);
    socket_ = std::move(made);
    is_up_ = true;
    return true;
}

void Client::flush()
{
    std::lock_guard<std::mutex> guard(lock_);
    send();
}

bool Client::close_event(std::size_t begin, bool wants_answer)
{
    const auto size = static_cast<std::uint32_t>(output_.size() - begin - Head::bytes);
    std::memcpy(&output_[begin], &size, sizeof size); /* the first field of the head */
    if (!wants_answer && output_.size() < 16384)
        return socket_.is_open();
    send();
    if (wants_answer && socket_.is_open() && !is_answered())
        end();
    return socket_.is_open();
}

void Client::send()
{
    if (socket_.is_open() && !output_.empty() && !socket_.send_all(output_))
        end();
    output_.clear();
}

bool Client::is_answered()
{
    char answer;
    pollfd polled{socket_.descriptor(), POLLIN, 0};
    int ready;
    while ((ready = poll(&polled, 1, Socket::max_wait)) < 0 && errno == EINTR)
        ;
    return ready > 0 && recv(socket_.descriptor(), &answer, 1, 0) == 1;
}

void Client::end()
{
    socket_.end();
    is_up_ = false;
}

}  // namespace qmpi::check
