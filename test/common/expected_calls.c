/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "expected_calls.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SITES = 500 };

static struct {
    const char *function, *file;
    int line;
    long calls, sent, received;
} sites[MOST_SITES];
static int number;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void expect_call(const char *function, const char *file, int line, long sent, long received)
{
    int i = 0;

    pthread_mutex_lock(&lock);
    while (i < number && (sites[i].line != line || strcmp(sites[i].function, function) ||
                          strcmp(sites[i].file, file)))
        i++;
    if (i == MOST_SITES) {
        fputs("expect_call: MOST_SITES is too small\n", stderr);
        abort();
    }
    if (i == number)
        number++;
    sites[i].function = function;
    sites[i].file = file;
    sites[i].line = line;
    sites[i].calls++;
    sites[i].sent += sent;
    sites[i].received += received;
    pthread_mutex_unlock(&lock);
}

void print_expected_calls(void)
{
    for (int i = 0; i < number; i++) {
        printf("call %s %s %d %ld %ld %ld\n", sites[i].function, sites[i].file, sites[i].line,
               sites[i].calls, sites[i].sent, sites[i].received);
        /* whole lines, that those of other processes cannot come into */
        fflush(stdout);
    }
}
