/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "pmpi.hpp"

namespace pmpi {

namespace {

struct descriptor {
    const int fd;
    ~descriptor() { close(fd); }
};

/* The first segment of a library of stubs. The second has the stubs. */
struct head {
    elf_header header{};
    segment segments[4]{};
    dynamic_entry dynamic[9]{};
    elf_symbol no_symbol{};
    any_function constructor = nullptr;
};

}  // namespace

void refuse(const std::string &reason)
{
    throw std::runtime_error(reason);
}

/* ---- private files ---- */

private_file::private_file(const std::string &name)
{
    if (open_temporary(name))
        return;
    const std::string reason = std::strerror(errno);
    if (!open_memory(name))
        refuse("no private copy of " + name + " can be made: " + reason +
               " (set TMPDIR to a directory for it)");
}

private_file::~private_file()
{
    if (is_temporary_)
        unlink(path_.c_str());
    close(fd_);
}

bool private_file::open_temporary(const std::string &name)
{
    const char *directory = secure_getenv("TMPDIR");

    path_ = std::string(directory != nullptr && *directory != '\0' ? directory : "/tmp") +
        "/qmpi-XXXXXX-" + name;
    fd_ = mkostemps(path_.data(), static_cast<int>(name.size()) + 1, O_CLOEXEC);
    is_temporary_ = fd_ >= 0 && check_executable();
    if (fd_ >= 0 && !is_temporary_)
        unlink(path_.c_str());
    return is_temporary_;
}

/* A descriptor's number is used again for a later file, so the binary digits of a counter, written as
 * "/." and "//", make the path unique. */
bool private_file::open_memory(const std::string &name)
{
    static unsigned count = 0;

    fd_ = memfd_create(name.c_str(), MFD_CLOEXEC);
    path_ = "/proc/self/fd";
    for (unsigned digits = ++count; digits != 0; digits >>= 1)
        path_ += (digits & 1) != 0 ? "/." : "//";
    path_ += "/" + std::to_string(fd_);
    return fd_ >= 0 && check_executable();
}

/* Closes the file if no code can be mapped from it, as in a directory mounted with noexec. */
bool private_file::check_executable()
{
    void *code = mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd_, 0);

    if (code == MAP_FAILED) {
        const int reason = errno;
        close(fd_);
        errno = reason;
        return false;
    }
    munmap(code, 1);
    return true;
}

void private_file::write(const void *data, std::size_t size)
{
    errno = ENOSPC; /* for a part that is written */
    if (::write(fd_, data, size) != static_cast<ssize_t>(size))
        refuse(path_ + " cannot be written: " + std::strerror(errno));
}

void private_file::copy(const std::string &from)
{
    const descriptor file{open(from.c_str(), O_RDONLY | O_CLOEXEC)};
    ssize_t size;

    while ((size = sendfile(fd_, file.fd, nullptr, 1 << 30)) > 0) {
    }
    if (size < 0)
        refuse(from + " cannot be copied to " + path_ + ": " + std::strerror(errno));
}

/* ---- the tool's file ---- */

void check_library_file(const std::string &path)
{
    struct stat status;
    elf_header header;
    Dl_info own;

    if (stat(path.c_str(), &status) != 0)
        refuse(std::strerror(errno));
    if (!S_ISREG(status.st_mode))
        refuse(S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file");
    const descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.fd < 0)
        refuse(std::strerror(errno));
    const ssize_t size = pread(file.fd, &header, sizeof(header), 0);
    if (size < SELFMAG || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        refuse("it is not a library");
    if (size < static_cast<ssize_t>(sizeof(header)))
        refuse("it is truncated");
    dladdr(reinterpret_cast<void *>(check_library_file), &own);
    const auto *mine = static_cast<const elf_header *>(own.dli_fbase);
    if (std::memcmp(&header.e_ident[EI_CLASS], &mine->e_ident[EI_CLASS], 2) != 0 ||
        header.e_machine != mine->e_machine)
        refuse("it is for another kind of machine");
    /* The linker maps what the headers promise; past the end of the file that is SIGBUS. */
    const auto length = static_cast<std::size_t>(status.st_size);
    for (std::size_t i = 0; i < header.e_phnum; i++) {
        segment s;
        const auto offset = static_cast<off_t>(header.e_phoff + i * sizeof(s));
        if (pread(file.fd, &s, sizeof(s), offset) != sizeof(s) ||
            (s.p_type == PT_LOAD && (s.p_offset > length || s.p_filesz > length - s.p_offset)))
            refuse("it is truncated");
    }
}

/* ---- stubs ---- */

std::size_t write_stubs(private_file &file, const std::string &tool, const instance &owner,
                        any_function dlsym_target, any_function constructor)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::string strings = '\0' + tool + '\0';
    const std::size_t data_size = sizeof(head) + strings.size();
    const std::size_t stubs_offset = (data_size + page - 1) / page * page;
    std::vector<stub> stubs(num_functions + 1);
    const std::size_t stubs_size = stubs.size() * sizeof(stub);
    std::vector<char> data(stubs_offset);
    head h;
    Dl_info own;

    /* this library's own header says what the machine is */
    dladdr(reinterpret_cast<void *>(write_stubs), &own);
    h.header = *static_cast<const elf_header *>(own.dli_fbase);
    h.header.e_phoff = offsetof(head, segments);
    h.header.e_phnum = 4;
    h.header.e_entry = h.header.e_shoff = 0;
    h.header.e_shnum = h.header.e_shstrndx = 0;
    const auto make = [](std::uint32_t type, std::uint32_t flags, std::size_t offset,
                         std::size_t size, std::size_t alignment) {
        return segment{type, flags, offset, offset, offset, size, size, alignment};
    };
    h.segments[0] = make(PT_LOAD, PF_R | PF_W, 0, data_size, page);
    h.segments[1] = make(PT_LOAD, PF_R | PF_X, stubs_offset, stubs_size, page);
    h.segments[2] = make(PT_DYNAMIC, PF_R | PF_W, offsetof(head, dynamic), sizeof(h.dynamic), 8);
    /* without it the linker makes the stack executable */
    h.segments[3] = make(PT_GNU_STACK, PF_R | PF_W, 0, 0, 16);
    const std::size_t dynamic[][2] = {{DT_NEEDED, 1},
                                      {DT_STRTAB, sizeof(head)},
                                      {DT_STRSZ, strings.size()},
                                      {DT_SYMTAB, offsetof(head, no_symbol)},
                                      {DT_SYMENT, sizeof(elf_symbol)},
                                      {DT_INIT_ARRAY, offsetof(head, constructor)},
                                      {DT_INIT_ARRAYSZ, sizeof(constructor)},
                                      {DT_FLAGS_1, DF_1_INITFIRST}};
    std::memcpy(h.dynamic, dynamic, sizeof(dynamic));
    h.constructor = constructor;
    std::memcpy(data.data(), &h, sizeof(h));
    std::memcpy(data.data() + sizeof(h), strings.data(), strings.size());

    for (int i = 0; i <= num_functions; i++) {
        stubs[i].instance = &owner;
        stubs[i].offset = static_cast<decltype(stub::offset)>(calling_instance_offset());
        stubs[i].target = i < num_functions ? functions[i].to_chain : dlsym_target;
    }
    file.write(data.data(), data.size());
    file.write(stubs.data(), stubs_size);
    return stubs_offset;
}

}  // namespace pmpi
