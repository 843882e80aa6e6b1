/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A library to preload: between the copy of a record and its mapping, other threads have time for calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long arguments[6];
    __builtin_va_list list;

    __builtin_va_start(list, number);
    for (int i = 0; i < 6; i++)
        arguments[i] = __builtin_va_arg(list, long);
    __builtin_va_end(list);
    if (!real)
        real = (long (*)(long, ...)) dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_mremap)
        usleep(20000);
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
