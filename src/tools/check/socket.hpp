/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef TOOLS_CHECK_SOCKET_HPP_INCLUDED
#define TOOLS_CHECK_SOCKET_HPP_INCLUDED

#include <string>
#include <string_view>
#include <utility>

namespace qmpi::check {

/* A file descriptor, as a rule of a TCP connection. */
class Socket {
  public:
    explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
    Socket(Socket &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Socket &operator=(Socket &&other) noexcept;
    ~Socket();
    int descriptor() const { return descriptor_; }
    bool is_open() const { return descriptor_ >= 0; }
    void end() { *this = Socket(); }

    static constexpr int max_wait = 20000; /* ms; then the other side counts as lost */

    /* Lets connecting, sending and receiving fail after max_wait, ends a connection to a host that
     * is cut off, and sends at once. */
    void prepare();

    bool send_all(std::string_view bytes);
    bool receive_all(char *bytes, std::size_t size);

    /* False if the connection has ended. */
    bool receive_pending(std::string &bytes);

    /* The thread that reads from it finds the connection ended. */
    void shut_down();

  private:
    int descriptor_;
};

/* Listens on the loopback interface, or on all; with IPv6 if the host has it. The system chooses the
 * port. Throws std::runtime_error. */
Socket make_listener(bool is_on_loopback);

int port_of(const Socket &socket);

/* By the first of the host's addresses where something answers. Throws std::runtime_error. */
Socket connection_to(const std::string &host, int port);

/* Raises the limit of open files, beside those that the program has. Throws std::runtime_error. */
void reserve_descriptors(int number);

}  // namespace qmpi::check

#endif /* TOOLS_CHECK_SOCKET_HPP_INCLUDED */
