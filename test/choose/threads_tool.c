/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A tool with threads that use the interface from its constructor until the process ends. They end the process if a
 * function returns something that is wrong at any time. */

#include "demand.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INSTANCES = 8, NAMES = 50 };

struct state {
    int tool_id; /* plain data: the storage is published with it */
    atomic_long calls;
};

static void start(void *(*run)(void *) );

typedef void function(void);

/* The next link, after a look at the storage of this one. */
static function *next_link(MPI_Context context, int tool_id, enum MPI_Functions_enum id,
                           int *next_id)
{
    function *next;
    struct state *state;

    DEMAND(MPI_Get_tool_storage(context, tool_id, &state) == MPI_SUCCESS);
    DEMAND(state->tool_id == tool_id);
    state->calls++;
    DEMAND(MPI_Get_next_tool_function(tool_id, id, &next, next_id) == MPI_SUCCESS);
    return next;
}

static int pass_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    int next_id;
    function *next = next_link(context, tool_id, MPI_COMM_RANK_T, &next_id);

    return ((MPI_Comm_rank_t *) next)(context, next_id, comm, rank);
}

static int pass_iprobe(MPI_Context context, int tool_id, int source, int tag, MPI_Comm comm,
                       int *flag, MPI_Status *status)
{
    int next_id;
    function *next = next_link(context, tool_id, MPI_IPROBE_T, &next_id);

    return ((MPI_Iprobe_t *) next)(context, next_id, source, tag, comm, flag, status);
}

/* ---- threads ---- */

static void query_instance(int tool_id)
{
    const char *name, *arguments;
    function *own;
    int next_id;
    struct state *state;

    if (MPI_Get_tool_storage(NULL, tool_id, &state) == MPI_SUCCESS && state)
        DEMAND(state->tool_id == tool_id);
    if (MPIX_Get_tool_name(tool_id, &name) == MPI_SUCCESS)
        DEMAND(strcmp(name, "threads") == 0);
    if (MPIX_Get_tool_arguments(tool_id, &arguments) == MPI_SUCCESS)
        DEMAND(strlen(arguments) <= 1);
    if (MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &own, &next_id) == MPI_SUCCESS) {
        DEMAND(own != NULL);
        DEMAND(next_id == 0 || (next_id == tool_id + 1 && own == (function *) pass_rank));
        /* linked, so the rest is known */
        DEMAND(MPIX_Get_tool_function(tool_id, MPI_COMM_RANK_T, &own) == MPI_SUCCESS);
        DEMAND(own == (function *) pass_rank);
    }
}

static void *query(void *unused)
{
    const char *name, *version, *author, *description, *file;
    int id;

    for (;;) {
        for (int tool_id = 0; tool_id <= MAX_INSTANCES; tool_id++)
            query_instance(tool_id);
        DEMAND(MPIX_Get_function_enum("MPI_Comm_rank", &id) == MPI_SUCCESS);
        DEMAND(id == MPI_COMM_RANK_T);
        for (int i = 0;
             MPIX_Get_tool_info(i, &name, &version, &author, &description, &file) == MPI_SUCCESS;
             i++)
            DEMAND(strlen(name) >= 5 && strlen(version) <= 1 && strlen(author) <= 1 &&
                   strlen(description) <= 1);
        sched_yield();
    }
    return unused;
}

/* Registers names until it is too late. */
static void *add_names(void *unused)
{
    for (int i = 0; i < NAMES; i++) {
        char name[16];

        snprintf(name, sizeof(name), "other%d", i);
        if (MPI_Register_tool_name(name, NULL) == MPI_SUCCESS)
            DEMAND(0);
        if (MPI_Register_tool_name(name, (MPI_Tool_init_function *) abort) != MPI_SUCCESS)
            break;
        MPIX_Set_tool_info(name, "1", "2", "3");
        sched_yield();
    }
    return unused;
}

static void start(void *(*run)(void *) )
{
    pthread_t thread;

    DEMAND(pthread_create(&thread, NULL, run, NULL) == 0);
    pthread_detach(thread);
}

/* ---- registration ---- */

static void init(int tool_id)
{
    struct state *state = calloc(1, sizeof(*state));

    state->tool_id = tool_id;
    if (tool_id == 1)
        start(query);
    DEMAND(MPI_Register_tool_storage(tool_id, state) == MPI_SUCCESS);
    DEMAND(MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, (function *) pass_rank) ==
           MPI_SUCCESS);
    DEMAND(MPI_Register_tool_function(tool_id, MPI_IPROBE_T, (function *) pass_iprobe) ==
           MPI_SUCCESS);
    if (tool_id == 2)
        start(query);
}

__attribute__((constructor)) static void load(void)
{
    start(query);
    MPI_Register_tool_name("threads", init);
    start(add_names);
}
