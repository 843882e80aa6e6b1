/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Threads that call MPI at the same time, by the first argument:
 *   first        the first calls of the process, one of them MPI_Init_thread
 *   first-mpi-t  the same with MPI_T_init_thread
 *   leave        calls while main returns
 *   write LIST   the first calls, while a thread writes lists through MPI_T: LIST(0), LIST(1) and so on
 * A watchdog ends a program that hangs. */

#define _GNU_SOURCE
#include "demand.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static pthread_t start(void *(*run)(void *), void *argument)
{
    pthread_t thread;

    DEMAND(pthread_create(&thread, NULL, run, argument) == 0);
    return thread;
}

static void meet(void)
{
    pthread_barrier_wait(&barrier);
}

static void call_often(int number)
{
    int rank, flag;

    for (int i = 0; i < number; i++) {
        DEMAND(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0);
        DEMAND(MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE) ==
               MPI_SUCCESS);
    }
}

/* ---- first calls ---- */

static atomic_int slow_calls;

/* For the library. The first thread that builds the chain is slow, so the others arrive meanwhile. */
pid_t getpid(void)
{
    if (slow_calls > 0 && slow_calls-- == 1)
        usleep(20000);
    return (pid_t) syscall(SYS_getpid);
}

static void initialize(void)
{
    int provided;

    DEMAND(MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    DEMAND(provided == MPI_THREAD_MULTIPLE);
}

static void *ask_initialized(void *unused)
{
    int flag;

    meet();
    MPI_Initialized(&flag);
    return unused;
}

static void *ask_finalized(void *unused)
{
    int flag;

    meet();
    MPI_Finalized(&flag);
    DEMAND(!flag);
    return unused;
}

static void *ask_version(void *unused)
{
    int version, subversion;

    meet();
    DEMAND(MPI_Get_version(&version, &subversion) == MPI_SUCCESS);
    return unused;
}

static void *use_mpi_t(void *unused)
{
    int provided, number, index, count, name_length = 0, description_length = 0;
    int verbosity, bind, scope;
    MPI_T_cvar_handle handle;
    MPI_T_enum enumeration;
    MPI_Datatype datatype;
    char list[1024];

    meet();
    DEMAND(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    DEMAND(MPI_T_cvar_get_num(&number) == MPI_SUCCESS);
    DEMAND(MPI_T_cvar_get_index("MPIR_CVAR_QMPI_TOOL_LIST", &index) == MPI_SUCCESS &&
           index < number);
    DEMAND(MPI_T_cvar_get_info(index, NULL, &name_length, &verbosity, &datatype, &enumeration, NULL,
                               &description_length, &bind, &scope) == MPI_SUCCESS);
    DEMAND(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS);
    if (count <= (int) sizeof(list))
        DEMAND(MPI_T_cvar_read(handle, list) == MPI_SUCCESS);
    MPI_T_cvar_handle_free(&handle);
    return unused;
}

/* Runs functions that meet, each in a thread; `own`, if any, with them in this one. */
static void run_together(void *(*const runs[])(void *), int number, void (*own)(void))
{
    pthread_t threads[4];

    DEMAND(number <= (int) (sizeof(threads) / sizeof(threads[0])));
    pthread_barrier_init(&barrier, NULL, number + (own != NULL));
    for (int i = 0; i < number; i++)
        threads[i] = start(runs[i], NULL);
    if (own) {
        meet();
        own();
    }
    for (int i = 0; i < number; i++)
        pthread_join(threads[i], NULL);
}

/* Calls of MPI_Init_thread and of MPI_T_init_thread at the same time are a race in MPICH itself: both set up MPI_T's
 * variables, without a lock. */
static void first(int with_mpi_t)
{
    void *(*const runs[])(void *) = {with_mpi_t ? use_mpi_t : ask_initialized, ask_initialized,
                                     ask_finalized, ask_version};

    slow_calls = 1;
    run_together(runs, sizeof(runs) / sizeof(runs[0]), with_mpi_t ? NULL : initialize);
    if (with_mpi_t)
        initialize();
    call_often(20);
    MPI_Finalize();
}

/* ---- calls while main returns ---- */

enum { CALLERS = 2 };

static atomic_int rounds[CALLERS];

static void *call_for_ever(void *number)
{
    for (;;) {
        call_often(1);
        rounds[*(int *) number]++;
    }
    return number;
}

static void leave(void)
{
    static int numbers[CALLERS];

    initialize();
    for (int i = 0; i < CALLERS; i++) {
        numbers[i] = i;
        pthread_detach(start(call_for_ever, &numbers[i]));
    }
    for (int i = 0; i < CALLERS; i++)
        while (rounds[i] < 50)
            usleep(1000);
}

/* ---- lists written while the first calls are made ---- */

static MPI_T_cvar_handle list_handle;
static const char *tool;
static int last = -1; /* number of the last list that was accepted */

static void *write_lists(void *unused)
{
    meet();
    for (int i = 0; i < 9; i++) {
        char list[1024];

        snprintf(list, sizeof(list), "%s(%d)", tool, i);
        if (MPI_T_cvar_write(list_handle, list) != MPI_SUCCESS)
            break;
        last = i;
    }
    return unused;
}

/* The chain has the last list that was accepted. */
static void write_during_first_calls(void)
{
    void *(*const runs[])(void *) = {write_lists, ask_initialized, ask_finalized};
    int provided, index, count;
    const char *arguments = "none";
    char expected[16];

    DEMAND(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
    DEMAND(MPI_T_cvar_get_index("MPIR_CVAR_QMPI_TOOL_LIST", &index) == MPI_SUCCESS);
    DEMAND(MPI_T_cvar_handle_alloc(index, NULL, &list_handle, &count) == MPI_SUCCESS);
    run_together(runs, sizeof(runs) / sizeof(runs[0]), initialize);
    if (last < 0) {
        DEMAND(MPIX_Get_tool_arguments(1, &arguments) != MPI_SUCCESS);
    } else {
        snprintf(expected, sizeof(expected), "%d", last);
        DEMAND(MPIX_Get_tool_arguments(1, &arguments) == MPI_SUCCESS);
        DEMAND(strcmp(arguments, expected) == 0);
    }
    call_often(20);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";

    alarm(100);
    if (strcmp(mode, "first") == 0) {
        first(0);
    } else if (strcmp(mode, "first-mpi-t") == 0) {
        first(1);
    } else if (strcmp(mode, "leave") == 0) {
        leave();
    } else if (strcmp(mode, "write") == 0 && argc > 2) {
        tool = argv[2];
        write_during_first_calls();
    } else {
        return 2;
    }
    printf("done\n");
    return 0;
}
