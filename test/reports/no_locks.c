/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* For LD_PRELOAD: file systems have no locks, as Lustre mounted without "flock". */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int fcntl(int file, int command, ...)
{
    va_list others;
    long argument;

    va_start(others, command);
    argument = va_arg(others, long);
    va_end(others);
    if (command == F_GETLK || command == F_SETLK || command == F_SETLKW) {
        errno = ENOLCK;
        return -1;
    }
    return (int) syscall(SYS_fcntl, file, command, argument);
}
