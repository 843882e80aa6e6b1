/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The tool "passall" intercepts every function and passes each call on unchanged, for running other
 * programs, such as the other directories of this test suite, with a chain for all functions:
 *
 *     mpicc -O2 -shared -fPIC -o passall.so passall.c
 *     mpiexec -genv LD_PRELOAD ./passall.so -genv MPIR_CVAR_QMPI_TOOL_LIST passall,passall ...
 *
 * Each instance looks up the next link of every function once, in its ready function; calls only
 * read the links and need no lock.
 *
 * With PASSALL_STATISTICS=1 in the environment the number of intercepted calls is printed to
 * standard error when the process ends.
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASSALL_NAME "passall"

struct passall_link {
    void (*fn) (void);
    int tool_id;
};

struct passall_instance {
    struct passall_link next[MPI_LAST_FUNC_T];
};

/* Indexed by tool id; NULL for instances of other tools. */
static struct passall_instance **passall_instances;
static int passall_num_ids;

static int passall_count_calls;
static unsigned long passall_calls;

static void passall_die(const char *what, const char *name)
{
    fprintf(stderr, "%s: %s: %s\n", PASSALL_NAME, what, name);
    exit(1);
}

/* Relaxed: read once, after the last call. */
static inline void passall_note_call(void)
{
    if (passall_count_calls)
        __atomic_fetch_add(&passall_calls, 1, __ATOMIC_RELAXED);
}

/* ---- one wrapper for each function ---- */

#define MPIX_QMPI_FUNCTION(id, ret, name, tool_params, next_args, params, args, buffers) \
    static ret passall_##name tool_params                                               \
    {                                                                                   \
        const struct passall_link *my_link = &passall_instances[tool_id]->next[id];        \
        int next_tool_id = my_link->tool_id;                                              \
        passall_note_call();                                                            \
        return ((name##_t *) my_link->fn) next_args;                                       \
    }

/* MPI itself calls every instance for MPI_Pcontrol. */
#define MPIX_QMPI_FUNCTION_PCONTROL(id, ret, name, tool_params, next_args, params, args, buffers) \
    static ret passall_##name tool_params                                                        \
    {                                                                                            \
        passall_note_call();                                                                     \
        return MPI_SUCCESS;                                                                      \
    }

#include <mpi_qmpi_functions.h>

/* ---- the table of all wrappers ---- */

struct passall_wrapper {
    int id;
    const char *name;
    void (*fn) (void);
    int is_pcontrol;
};

#define MPIX_QMPI_FUNCTION(id, ret, name, tool_params, next_args, params, args, buffers) \
    { id, #name, (void (*)(void)) passall_##name, 0 },
#define MPIX_QMPI_FUNCTION_PCONTROL(id, ret, name, tool_params, next_args, params, args, buffers) \
    { id, #name, (void (*)(void)) passall_##name, 1 },

static const struct passall_wrapper passall_wrappers[] = {
#include <mpi_qmpi_functions.h>
};

#define PASSALL_NUM_WRAPPERS (sizeof(passall_wrappers) / sizeof(passall_wrappers[0]))

/* ---- building the chain ---- */

static void passall_report(void)
{
    fprintf(stderr, "%s: %lu calls intercepted\n", PASSALL_NAME, passall_calls);
}

static void passall_new_instance(int tool_id)
{
    if (tool_id >= passall_num_ids) {
        size_t old_size = passall_num_ids * sizeof(*passall_instances);
        size_t new_size = (tool_id + 1) * sizeof(*passall_instances);
        passall_instances = realloc(passall_instances, new_size);
        if (passall_instances == NULL)
            passall_die("out of memory for", "the table of instances");
        memset((char *) passall_instances + old_size, 0, new_size - old_size);
        passall_num_ids = tool_id + 1;
    }
    passall_instances[tool_id] = calloc(1, sizeof(struct passall_instance));
    if (passall_instances[tool_id] == NULL)
        passall_die("out of memory for", "an instance");
}

static void passall_ready(int tool_id)
{
    for (size_t i = 0; i < PASSALL_NUM_WRAPPERS; i++) {
        const struct passall_wrapper *w = &passall_wrappers[i];
        struct passall_link *link = &passall_instances[tool_id]->next[w->id];

        if (w->is_pcontrol)
            continue;
        if (MPI_Get_next_tool_function(tool_id, w->id, &link->fn, &link->tool_id) != MPI_SUCCESS)
            passall_die("no next function for", w->name);
    }
}

static void passall_init(int tool_id)
{
    passall_new_instance(tool_id);
    for (size_t i = 0; i < PASSALL_NUM_WRAPPERS; i++) {
        const struct passall_wrapper *w = &passall_wrappers[i];

        if (MPI_Register_tool_function(tool_id, w->id, w->fn) != MPI_SUCCESS)
            passall_die("cannot intercept", w->name);
    }
    if (MPIX_Register_tool_ready_function(tool_id, passall_ready) != MPI_SUCCESS)
        passall_die("cannot register", "the ready function");
}

__attribute__ ((constructor))
static void passall_load(void)
{
    const char *statistics = getenv("PASSALL_STATISTICS");
    int rc = MPI_Register_tool_name(PASSALL_NAME, passall_init);

    if (rc != MPI_SUCCESS) {
        /* the program may not have the tool in its list */
        fprintf(stderr, "%s: the MPI library refused to register the tool\n", PASSALL_NAME);
        return;
    }
    if (statistics && strcmp(statistics, "1") == 0) {
        passall_count_calls = 1;
        atexit(passall_report);
    }
}
