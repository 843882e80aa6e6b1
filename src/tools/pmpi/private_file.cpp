/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "private_file.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace pmpi {

namespace {

struct descriptor {
    const int fd;
    ~descriptor()
    {
        if (fd >= 0)
            close(fd);
    }
};

[[noreturn]] void fail(const std::string &what)
{
    throw std::runtime_error(what);
}

}  // namespace

private_file::private_file(const std::string &name)
{
    if (create_in_folder(name))
        return;
    const int reason = errno;
    if (!create_in_memory(name))
        fail("no private file can be made for " + name + ": " + std::strerror(reason) +
             " (set TMPDIR to a folder that programs can be run from)");
}

private_file::~private_file()
{
    if (is_temporary_)
        unlink(path_.c_str());
    close(fd_);
}

bool private_file::create_in_folder(const std::string &name)
{
    const char *folder = secure_getenv("TMPDIR");

    path_ = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/qmpi-XXXXXX-" +
        name;
    fd_ = mkostemps(path_.data(), static_cast<int>(name.size()) + 1, O_CLOEXEC);
    if (fd_ < 0)
        return false;
    is_temporary_ = is_loadable();
    if (!is_temporary_) {
        unlink(path_.c_str());
        close(fd_);
        errno = EACCES;
    }
    return is_temporary_;
}

/* The number of the descriptor is used again for the next file, so the path is made unique by the
 * binary digits of a counter, written as "/." and "//". */
bool private_file::create_in_memory(const std::string &name)
{
    static unsigned count = 0;

    fd_ = memfd_create(name.c_str(), MFD_CLOEXEC);
    if (fd_ < 0)
        return false;
    path_ = "/proc/self/fd";
    for (unsigned digits = ++count; digits != 0; digits >>= 1)
        path_ += (digits & 1) != 0 ? "/." : "//";
    path_ += "/" + std::to_string(fd_);
    if (is_loadable())
        return true;
    close(fd_);
    return false;
}

/* True if the path leads to the open file, and code can be mapped from it: /proc may be missing, and a
 * folder may be mounted without execution. */
bool private_file::is_loadable() const
{
    struct stat by_path, by_fd;

    if (stat(path_.c_str(), &by_path) != 0 || fstat(fd_, &by_fd) != 0 ||
        by_path.st_dev != by_fd.st_dev || by_path.st_ino != by_fd.st_ino)
        return false;
    void *code = mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd_, 0);
    if (code == MAP_FAILED)
        return false;
    munmap(code, 1);
    return true;
}

void private_file::append(const void *data, std::size_t size)
{
    const char *next = static_cast<const char *>(data);

    while (size > 0) {
        const ssize_t written = write(fd_, next, size);
        if (written < 0 && errno != EINTR)
            fail(path_ + " cannot be written: " + std::strerror(errno));
        if (written > 0) {
            next += written;
            size -= static_cast<std::size_t>(written);
        }
    }
}

void private_file::append_file(const std::string &from)
{
    const descriptor file{open(from.c_str(), O_RDONLY | O_CLOEXEC)};
    std::vector<char> buffer(1 << 16);
    ssize_t size = -1;

    while (file.fd >= 0 && (size = read(file.fd, buffer.data(), buffer.size())) > 0)
        append(buffer.data(), static_cast<std::size_t>(size));
    if (size < 0)
        fail(from + " cannot be copied: " + std::strerror(errno));
}

void check_library_file(const std::string &path)
{
    struct stat status;
    ElfW(Ehdr) header;
    Dl_info own;

    if (stat(path.c_str(), &status) != 0)
        fail(std::strerror(errno));
    if (S_ISDIR(status.st_mode))
        fail("it is a folder");
    if (!S_ISREG(status.st_mode))
        fail("it is not a regular file");
    const descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.fd < 0)
        fail(std::strerror(errno));
    const ssize_t size = pread(file.fd, &header, sizeof(header), 0);
    if (size < SELFMAG || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        fail("it is not a library");
    if (size < static_cast<ssize_t>(sizeof(header)))
        fail("it is truncated");
    if (dladdr(reinterpret_cast<void *>(check_library_file), &own) != 0) {
        const auto *mine = static_cast<const ElfW(Ehdr) *>(own.dli_fbase);
        if (header.e_ident[EI_CLASS] != mine->e_ident[EI_CLASS] ||
            header.e_ident[EI_DATA] != mine->e_ident[EI_DATA] ||
            header.e_machine != mine->e_machine)
            fail("it is for another kind of machine");
    }
    /* The linker maps what the headers promise, and the process would get SIGBUS past the file's end. */
    const auto length = static_cast<std::size_t>(status.st_size);
    for (std::size_t i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) segment;
        const auto offset = static_cast<off_t>(header.e_phoff + i * sizeof(segment));
        if (pread(file.fd, &segment, sizeof(segment), offset) != sizeof(segment) ||
            (segment.p_type == PT_LOAD &&
             (segment.p_offset > length || segment.p_filesz > length - segment.p_offset)))
            fail("it is truncated");
    }
}

}  // namespace pmpi
