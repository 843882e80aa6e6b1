/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Programs that interfere with building and ending the chain, by the first argument:
 *   setenv LIST          sets the list in main
 *   write LIST           writes it through MPI_T, with the names that every program uses
 *   constructor LIBRARY  loads a library whose constructor calls MPI, while another thread builds
 *                        the chain
 *   first                makes the call that builds the chain, and no other
 *   init                 initializes and finalizes
 *   leave                returns from main while a thread is in MPI calls
 *   fork                 forks while a tool's init callback runs
 *   cancel               cancels the thread that builds the chain
 * A watchdog ends a program that hangs, with status 3. */

#define _GNU_SOURCE
#include "demand.h"

#include <mpi.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Steps of a tool (robust_tool.c) and of this program, which wait for each other. */
atomic_int tool_is_in_init, program_has_acted;

static void watchdog(int seconds)
{
    alarm(seconds);
}

static void init_and_rank(void)
{
    int rank;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
}

static void write_list(const char *list)
{
    int provided, index, count;
    MPI_T_cvar_handle handle;

    DEMAND(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    DEMAND(MPI_T_cvar_get_index("MPIR_CVAR_QMPI_TOOL_LIST", &index) == MPI_SUCCESS);
    DEMAND(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS);
    DEMAND(MPI_T_cvar_write(handle, list) == MPI_SUCCESS);
    MPI_T_cvar_handle_free(&handle);
    MPI_T_finalize();
}

/* ---- the thread that builds the chain ---- */

static atomic_int builder_tid;

static void *build(void *unused)
{
    builder_tid = (int) syscall(SYS_gettid);
    MPIX_Load_tools();
    return unused;
}

/* Called by the constructor in constructor_library.c, which runs with the loader's lock held. */
void wait_until_builder_sleeps(void)
{
    int asleep = 0;

    while (asleep < 20) {
        char path[64], state = '?';
        FILE *file;

        usleep(1000);
        snprintf(path, sizeof(path), "/proc/self/task/%d/stat", builder_tid);
        file = fopen(path, "r");
        if (file) {
            if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
                state = '?';
            fclose(file);
        }
        asleep = state == 'S' ? asleep + 1 : 0;
    }
}

static pthread_t builder;

void start_builder(void)
{
    DEMAND(pthread_create(&builder, NULL, build, NULL) == 0);
}

static void constructor(const char *library)
{
    void *opened = dlopen(library, RTLD_NOW);

    if (!opened)
        fprintf(stderr, "%s\n", dlerror());
    DEMAND(opened);
    pthread_join(builder, NULL);
    init_and_rank();
}

/* ---- exit while a thread is inside ---- */

static atomic_int probes;

static void *probe(void *unused)
{
    int flag;

    for (;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        probes++;
    }
    return unused;
}

static void leave(void)
{
    pthread_t thread;
    int provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    DEMAND(pthread_create(&thread, NULL, probe, NULL) == 0);
    while (probes < 1000)
        usleep(100);
    program_has_acted = 1;
}

/* ---- fork, cancellation ---- */

static void fork_while_building(void)
{
    int flag, status;
    pid_t child;

    start_builder();
    while (!tool_is_in_init)
        usleep(100);
    child = fork();
    if (child == 0) {
        watchdog(5);
        MPI_Initialized(&flag);
        _exit(flag);
    }
    DEMAND(waitpid(child, &status, 0) == child);
    program_has_acted = 1;
    if (status != 0)
        fprintf(stderr, "the child hangs in MPI_Initialized\n");
    DEMAND(status == 0);
    pthread_join(builder, NULL);
    init_and_rank();
}

static void cancel(void)
{
    int flag;

    start_builder();
    while (!tool_is_in_init)
        usleep(100);
    pthread_cancel(builder);
    program_has_acted = 1;
    pthread_join(builder, NULL);
    MPI_Initialized(&flag);
    DEMAND(!flag);
    init_and_rank();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "", *argument = argc > 2 ? argv[2] : "";

    watchdog(20);
    if (strcmp(mode, "setenv") == 0) {
        setenv("MPIR_CVAR_QMPI_TOOL_LIST", argument, 1);
        init_and_rank();
    } else if (strcmp(mode, "write") == 0) {
        write_list(argument);
        init_and_rank();
    } else if (strcmp(mode, "constructor") == 0) {
        constructor(argument);
    } else if (strcmp(mode, "first") == 0) {
        MPIX_Load_tools();
    } else if (strcmp(mode, "init") == 0) {
        init_and_rank();
    } else if (strcmp(mode, "leave") == 0) {
        leave();
    } else if (strcmp(mode, "fork") == 0) {
        fork_while_building();
    } else if (strcmp(mode, "cancel") == 0) {
        cancel();
    } else {
        return 2;
    }
    printf("done\n");
    return 0;
}
