/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The native tool "n": notes entering and leaving of every function, as n1>MPI_Send and n1<MPI_Send
 * for the instance with tool id 1. With SITES in the environment it adds the file of the call site:
 * n1>MPI_Send@program. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void note(const char *text);

static void note_enter(MPI_Context context, int tool_id, const char *name)
{
    char text[1024];
    Dl_info info = { 0 };
    void *site = NULL;

    MPI_Get_calling_address(context, &site);
    if (!getenv("SITES") || !dladdr(site, &info))
        snprintf(text, sizeof(text), "n%d>%s", tool_id, name);
    else
        snprintf(text, sizeof(text), "n%d>%s@%s", tool_id, name,
                 strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname);
    note(text);
}

static void note_leave(int tool_id, const char *name)
{
    char text[256];

    snprintf(text, sizeof(text), "n%d<%s", tool_id, name);
    note(text);
}

#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers)       \
    static type n_##name tool_params                                                            \
    {                                                                                           \
        void (*next) (void);                                                                    \
        int next_tool_id;                                                                       \
        type answer;                                                                            \
        note_enter(context, tool_id, #name);                                                    \
        MPI_Get_next_tool_function(tool_id, id, &next, &next_tool_id);                          \
        answer = ((name##_t *) next) next_args;                                                 \
        note_leave(tool_id, #name);                                                             \
        return answer;                                                                          \
    }
#include <mpi_qmpi_functions.h>

static void init(int tool_id)
{
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    MPI_Register_tool_function(tool_id, id, (void (*)(void)) n_##name);
#include <mpi_qmpi_functions.h>
}

__attribute__((constructor))
static void load(void)
{
    MPI_Register_tool_name("n", init);
}
