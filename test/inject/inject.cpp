/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A library to preload that lets one call of the C library fail.
 *
 *     INJECT_OBJECT=NAME   whose calls are counted: objects whose file name contains NAME
 *     INJECT_RANGES=FILE   only calls from these parts of it: lines of offset and size, hexadecimal
 *     INJECT_RANK=R        only in this process of a job
 *     INJECT_LOG=FILE      gets a line for each counted call: "FUNCTION OFFSET"
 *     INJECT=FUNCTION:N:E  the N-th of these calls of FUNCTION, from 1, fails with errno E
 *
 * A call is attributed by its return address, so memory that the C library allocates for a call is not counted. */

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
}

namespace {

struct Range {
    unsigned long begin, size;
};

Range ranges[1024];
int range_count;
const char *object;
char function[32];
long wanted;
int error_number;
int log_fd = -1;
std::atomic<bool> is_on;
std::atomic<long> calls;

/* Raw, because this library replaces the functions of the C library. */
int raw_open(const char *path, int flags)
{
    return int(syscall(SYS_openat, AT_FDCWD, path, flags, 0600));
}

__attribute__((constructor)) void start()
{
    object = std::getenv("INJECT_OBJECT");
    const char *rank = std::getenv("INJECT_RANK"), *own = std::getenv("PMI_RANK");
    if (object == nullptr || (rank != nullptr && own != nullptr && std::strcmp(rank, own) != 0))
        return;
    if (const char *text = std::getenv("INJECT"))
        std::sscanf(text, "%31[^:]:%ld:%d", function, &wanted, &error_number);
    if (const char *path = std::getenv("INJECT_LOG"))
        log_fd = raw_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC);
    if (const char *path = std::getenv("INJECT_RANGES")) {
        static char text[65536];
        const int fd = raw_open(path, O_RDONLY);
        long length = 0, more;
        while ((more = syscall(SYS_read, fd, text + length, sizeof text - 1 - length)) > 0)
            length += more;
        syscall(SYS_close, fd);
        char *place = text;
        for (char *next; range_count < 1024; place = next) {
            ranges[range_count].begin = std::strtoul(place, &next, 16);
            if (next == place)
                break;
            ranges[range_count++].size = std::strtoul(next, &next, 16);
        }
    }
    is_on = true;
}

/* True if this call must fail; errno is set then. */
bool fails(const char *name, const void *caller)
{
    if (!is_on)
        return false;
    const int saved = errno;
    dl_find_object found;
    if (_dl_find_object(const_cast<void *>(caller), &found) != 0 ||
        std::strstr(found.dlfo_link_map->l_name, object) == nullptr)
        return false;
    const unsigned long offset =
        reinterpret_cast<unsigned long>(caller) - found.dlfo_link_map->l_addr;
    bool is_counted = range_count == 0;
    for (int i = 0; i < range_count && !is_counted; i++)
        is_counted = offset - ranges[i].begin < ranges[i].size;
    if (!is_counted)
        return false;
    if (log_fd >= 0) {
        char line[80];
        const int length = std::snprintf(line, sizeof line, "%s %lx\n", name, offset);
        syscall(SYS_write, log_fd, line, length);
    }
    errno = saved;
    if (std::strcmp(name, function) != 0 || ++calls != wanted)
        return false;
    errno = error_number;
    return true;
}

template <typename Function>
Function *next(const char *name)
{
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define CALLER __builtin_return_address(0)

/* NAME with parameters and arguments as of the C library, and the result of a failure */
#define FUNCTION(type, name, parameters, arguments, failure)   \
    extern "C" type name parameters                            \
    {                                                          \
        if (fails(#name, CALLER))                              \
            return failure;                                    \
        static const auto real = next<type parameters>(#name); \
        return real arguments;                                 \
    }

extern "C" void *malloc(std::size_t size)
{
    return fails("malloc", CALLER) ? nullptr : __libc_malloc(size);
}

extern "C" void *calloc(std::size_t number, std::size_t size)
{
    return fails("calloc", CALLER) ? nullptr : __libc_calloc(number, size);
}

extern "C" void *realloc(void *memory, std::size_t size)
{
    return fails("realloc", CALLER) ? nullptr : __libc_realloc(memory, size);
}

void *operator new(std::size_t size)
{
    if (fails("new", CALLER))
        throw std::bad_alloc();
    return __libc_malloc(size != 0 ? size : 1);
}

extern "C" int open(const char *path, int flags, ...)
{
    if (fails("open", CALLER))
        return -1;
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return int(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

/* Its failure needs a reason for dlerror. */
extern "C" void *dlopen(const char *path, int flags)
{
    static const auto real = next<void *(const char *, int)>("dlopen");
    return real(fails("dlopen", CALLER) ? "/dev/null/injected" : path, flags);
}

FUNCTION(char *, strdup, (const char *text), (text), nullptr)
FUNCTION(char *, realpath, (const char *path, char *result), (path, result), nullptr)
FUNCTION(FILE *, fopen, (const char *path, const char *mode), (path, mode), nullptr)
FUNCTION(FILE *, fdopen, (int fd, const char *mode), (fd, mode), nullptr)
FUNCTION(DIR *, opendir, (const char *path), (path), nullptr)
FUNCTION(ssize_t, readlink, (const char *path, char *text, std::size_t size), (path, text, size),
         -1)
FUNCTION(ssize_t, read, (int fd, void *data, std::size_t size), (fd, data, size), -1)
FUNCTION(ssize_t, pread, (int fd, void *data, std::size_t size, off_t at), (fd, data, size, at), -1)
FUNCTION(ssize_t, write, (int fd, const void *data, std::size_t size), (fd, data, size), -1)
FUNCTION(ssize_t, pwrite, (int fd, const void *data, std::size_t size, off_t at),
         (fd, data, size, at), -1)
FUNCTION(void *, mmap, (void *at, std::size_t size, int prot, int flags, int fd, off_t offset),
         (at, size, prot, flags, fd, offset), MAP_FAILED)
FUNCTION(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size), error_number)
FUNCTION(int, ftruncate, (int fd, off_t size), (fd, size), -1)
FUNCTION(int, fstat, (int fd, struct stat *result), (fd, result), -1)
FUNCTION(int, stat, (const char *path, struct stat *result), (path, result), -1)
FUNCTION(int, rename, (const char *from, const char *to), (from, to), -1)
FUNCTION(int, unlink, (const char *path), (path), -1)
FUNCTION(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
FUNCTION(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1)
FUNCTION(int, bind, (int fd, const sockaddr *address, socklen_t size), (fd, address, size), -1)
FUNCTION(int, listen, (int fd, int backlog), (fd, backlog), -1)
FUNCTION(int, connect, (int fd, const sockaddr *address, socklen_t size), (fd, address, size), -1)
FUNCTION(int, accept4, (int fd, sockaddr *address, socklen_t *size, int flags),
         (fd, address, size, flags), -1)
FUNCTION(int, epoll_create1, (int flags), (flags), -1)
FUNCTION(int, epoll_ctl, (int fd, int action, int other, epoll_event *event),
         (fd, action, other, event), -1)
FUNCTION(int, eventfd, (unsigned value, int flags), (value, flags), -1)
FUNCTION(ssize_t, send, (int fd, const void *data, std::size_t size, int flags),
         (fd, data, size, flags), -1)
FUNCTION(ssize_t, recv, (int fd, void *data, std::size_t size, int flags), (fd, data, size, flags),
         -1)
