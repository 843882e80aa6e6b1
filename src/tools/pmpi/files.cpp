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
    dynamic_entry dynamic[10]{};
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
    if (!open_memory(name) && !open_temporary(name))
        refuse("no private copy of " + name + " can be made: " + std::strerror(errno) +
               " (set TMPDIR to a directory for it)");
}

private_file::~private_file()
{
    if (is_temporary_)
        unlink(path_.c_str());
    close(fd_);
}

/* The linker takes files with equal inode numbers for one library; the numbers of such files are not used
 * again. Those of descriptors are, so the binary digits of a counter, written as "/." and "//", make the
 * path unique. */
bool private_file::open_memory(const std::string &name)
{
    static std::atomic<unsigned> count{0};

    fd_ = memfd_create(name.c_str(), MFD_CLOEXEC);
    path_ = "/proc/" + std::to_string(getpid()) + "/fd"; /* debuggers open it too */
    for (unsigned digits = ++count; digits != 0; digits >>= 1)
        path_ += (digits & 1) != 0 ? "/." : "//";
    path_ += "/" + std::to_string(fd_);
    return fd_ >= 0 && check_executable();
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

/* Closes the file if the linker cannot map code from it: /proc is missing or that of other processes, or
 * the file is in a directory mounted with noexec. */
bool private_file::check_executable()
{
    struct stat here, there;
    void *code = MAP_FAILED;

    if (fstat(fd_, &here) == 0 && stat(path_.c_str(), &there) == 0 && here.st_ino == there.st_ino &&
        here.st_dev == there.st_dev)
        code = mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd_, 0);
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

stub make_stub(const void *instance, any_function target)
{
    stub made;

    made.instance = instance;
    made.offset = static_cast<decltype(stub::offset)>(calling_instance_offset());
    made.target = target;
    return made;
}

std::size_t write_stubs(private_file &file, const std::string &needed,
                        const std::vector<stub> &stubs, const std::vector<stub_symbol> &symbols,
                        any_function constructor)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t num_symbols = symbols.size() + 1;
    const std::size_t table_offset = sizeof(head);
    const std::size_t hash_offset = table_offset + num_symbols * sizeof(elf_symbol);
    const std::size_t stubs_size = stubs.size() * sizeof(stub);
    std::vector<elf_symbol> table(num_symbols);
    std::vector<std::uint32_t> hash(3 + num_symbols); /* one bucket, a chain of all symbols */
    std::string strings = '\0' + needed + '\0';
    head h;
    Dl_info own;

    const std::size_t strings_offset = hash_offset + hash.size() * sizeof(hash[0]);
    for (const stub_symbol &symbol : symbols)
        strings += symbol.name + '\0';
    const std::size_t data_size = strings_offset + strings.size();
    const std::size_t stubs_offset = (data_size + page - 1) / page * page;

    hash[0] = 1;
    hash[1] = static_cast<std::uint32_t>(num_symbols);
    std::size_t name = needed.size() + 2;
    for (std::size_t i = 1; i < num_symbols; i++) {
        const stub_symbol &symbol = symbols[i - 1];
        table[i].st_name = static_cast<std::uint32_t>(name);
        table[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
        table[i].st_shndx = 1; /* any section: the symbol is defined */
        table[i].st_value = stubs_offset + symbol.stub * sizeof(stub);
        table[i].st_size = sizeof(stub);
        name += symbol.name.size() + 1;
        hash[3 + i] = hash[2];
        hash[2] = static_cast<std::uint32_t>(i);
    }

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
                                      {DT_STRTAB, strings_offset},
                                      {DT_STRSZ, strings.size()},
                                      {DT_SYMTAB, table_offset},
                                      {DT_SYMENT, sizeof(elf_symbol)},
                                      {DT_HASH, hash_offset},
                                      {DT_INIT_ARRAY, offsetof(head, constructor)},
                                      {DT_INIT_ARRAYSZ, sizeof(constructor)},
                                      {DT_FLAGS_1, DF_1_INITFIRST}};
    std::memcpy(h.dynamic, dynamic, sizeof(dynamic));
    h.constructor = constructor;

    std::vector<char> data(stubs_offset);
    const auto put = [&](std::size_t offset, const void *from, std::size_t size) {
        std::memcpy(&data[offset], from, size);
    };
    put(0, &h, sizeof(h));
    put(table_offset, table.data(), table.size() * sizeof(table[0]));
    put(hash_offset, hash.data(), hash.size() * sizeof(hash[0]));
    put(strings_offset, strings.data(), strings.size());
    file.write(data.data(), data.size());
    if (!stubs.empty())
        file.write(stubs.data(), stubs_size);
    return stubs_offset;
}

}  // namespace pmpi
