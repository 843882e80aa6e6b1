/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Sockets by which qmpi_ctl reaches the processes of a user on this host: a folder that only the user
 * can enter, with a socket PID for each process. */

#ifndef TOOLS_CONTROL_ENDPOINT_HPP_INCLUDED
#define TOOLS_CONTROL_ENDPOINT_HPP_INCLUDED

#include <string>
#include <string_view>

#include <sys/types.h>

namespace qmpi::control {

/* Closes the descriptor. */
class Descriptor {
  public:
    explicit Descriptor(int descriptor = -1) noexcept : descriptor_(descriptor) {}
    Descriptor(Descriptor &&other) noexcept : descriptor_(other.release()) {}
    Descriptor &operator=(Descriptor &&other) noexcept;
    ~Descriptor();

    explicit operator bool() const noexcept { return descriptor_ >= 0; }
    int get() const noexcept { return descriptor_; }
    int release() noexcept;

  private:
    int descriptor_;
};

/* $XDG_RUNTIME_DIR/qmpi, or /tmp/qmpi-UID without that variable; made if it does not exist. Throws
 * std::runtime_error if another user owns it or can enter it. */
std::string folder();

std::string path_of(const std::string &folder, pid_t process);

/* Throws std::runtime_error. */
Descriptor listen_at(const std::string &path);

/* Without a descriptor if nobody listens there. */
Descriptor connect_to(const std::string &path);

/* True if the peer's user is this one or root. */
bool is_peer_allowed(const Descriptor &peer);

/* Both give up after two seconds, in which the other side does nothing. */
bool send_text(const Descriptor &peer, std::string_view text);
std::string receive_text(const Descriptor &peer, char end, std::size_t limit);

}  // namespace qmpi::control

#endif /* TOOLS_CONTROL_ENDPOINT_HPP_INCLUDED */
