/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "endpoint.hpp"

#include "../common/process.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace qmpi::control {
namespace {

[[noreturn]] void fail(const std::string &what)
{
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

/* The address of the socket path, through a descriptor of its folder: an address has room for 107
 * characters only. */
class Address {
  public:
    explicit Address(const std::string &path)
        : folder_(open(path.substr(0, path.rfind('/')).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))
    {
        if (!folder_)
            fail(path);
        value_.sun_family = AF_UNIX;
        const std::string short_path =
            "/proc/self/fd/" + std::to_string(folder_.get()) + path.substr(path.rfind('/'));
        short_path.copy(value_.sun_path, sizeof value_.sun_path - 1);
    }

    const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&value_); }
    static constexpr socklen_t size = sizeof(sockaddr_un);

  private:
    Descriptor folder_;
    sockaddr_un value_{};
};

Descriptor new_socket()
{
    Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!made)
        fail("cannot create a socket");
    return made;
}

void limit_waiting(const Descriptor &peer)
{
    const timeval limit{2, 0};
    setsockopt(peer.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(peer.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

}  // namespace

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept
{
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

Descriptor::~Descriptor()
{
    if (descriptor_ >= 0)
        close(descriptor_);
}

int Descriptor::release() noexcept
{
    return std::exchange(descriptor_, -1);
}

std::string folder()
{
    const char *runtime = std::getenv("XDG_RUNTIME_DIR");
    return private_folder(runtime != nullptr && *runtime == '/'
                              ? std::string(runtime) + "/qmpi"
                              : "/tmp/qmpi-" + std::to_string(geteuid()));
}

std::string path_of(const std::string &folder, pid_t process)
{
    return folder + "/" + std::to_string(process);
}

Descriptor listen_at(const std::string &path)
{
    const Address address(path);
    Descriptor made = new_socket();
    unlink(path.c_str()); /* of an earlier process with this id */
    if (bind(made.get(), address.get(), address.size) != 0 || listen(made.get(), 16) != 0)
        fail(path);
    return made;
}

Descriptor connect_to(const std::string &path)
{
    const Address address(path);
    Descriptor made = new_socket();
    limit_waiting(made);
    if (connect(made.get(), address.get(), address.size) != 0)
        return Descriptor();
    return made;
}

bool is_peer_allowed(const Descriptor &peer)
{
    ucred credentials{};
    socklen_t size = sizeof credentials;
    return getsockopt(peer.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 &&
        (credentials.uid == geteuid() || credentials.uid == 0);
}

bool send_text(const Descriptor &peer, std::string_view text)
{
    limit_waiting(peer);
    while (!text.empty()) {
        const ssize_t sent = send(peer.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::string receive_text(const Descriptor &peer, char end, std::size_t limit)
{
    limit_waiting(peer);
    std::string text;
    char buffer[4096];
    while (text.size() < limit && (text.empty() || text.back() != end)) {
        const ssize_t received = recv(peer.get(), buffer, sizeof buffer, 0);
        if (received <= 0)
            break;
        text.append(buffer, static_cast<std::size_t>(received));
    }
    return text;
}

}  // namespace qmpi::control
