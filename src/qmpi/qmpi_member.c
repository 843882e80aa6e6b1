/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Stands between the chain and an unmodified PMPI tool; see mpii_qmpi_member.h. Not part of libmpi. */

#define _GNU_SOURCE
#include "mpii_qmpi_member.h"
#include "mpii_qmpi_words.h"

#ifdef MPII_QMPI_HAVE_MEMBERS

#include <dlfcn.h>

static MPII_QMPI_Member member;

/* ---- the call that the tool is serving in this thread ---- */

/* Where the tool passes on what it was called for, the tools behind it get the context that came
 * with the call, and so the application's call site and all else that a context carries. Whatever
 * else it calls begins there. */
typedef struct {
    MPI_Context context;
    enum MPI_Functions_enum function;
} Service;

static __thread Service service;

static inline Service serve(MPI_Context context, enum MPI_Functions_enum function)
{
    Service outer = service;

    service.context = context;
    service.function = function;
    return outer;
}

/* Runs where a scope is left, by an exception too. */
static inline void end_service(Service * outer)
{
    service = *outer;
}

#define SERVE(context_, function_) \
    __attribute__((cleanup(end_service), unused)) Service outer = serve(context_, function_)

static inline MPI_Context context_for(enum MPI_Functions_enum function, MPI_Context own)
{
    return service.context && service.function == function ? service.context : own;
}

static inline const MPIR_QMPI_Link *next_link(enum MPI_Functions_enum function)
{
    return &__atomic_load_n(&member.next, __ATOMIC_ACQUIRE)[function];
}

/* ---- both ends of every function ---- */

#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers)       \
    static type enter_##name tool_params                                                        \
    {                                                                                           \
        SERVE(context, id);                                                                     \
        return ((type (*) params) member.own[id]) args;                                         \
    }                                                                                           \
    static type onward_##name params                                                            \
    {                                                                                           \
        struct MPIR_QMPI_Context own = { __builtin_return_address(0), id };                     \
        MPI_Context context = context_for(id, &own);                                            \
        const MPIR_QMPI_Link *next = next_link(id);                                             \
        const int next_tool_id = next->tool_id;                                                 \
        return ((name##_t *) next->fn) next_args;                                               \
    }
#include <mpi_qmpi_functions.h>

static int enter_MPI_Pcontrol(MPI_Context context, int tool_id, const int level, ...)
{
    int (*own) (const int, ...) = (int (*)(const int, ...)) member.own[MPI_PCONTROL_T];
    MPII_QMPI_Words words;
    va_list varargs;
    SERVE(context, MPI_PCONTROL_T);

    va_start(varargs, level);
    MPII_QMPI_read_words(&words, varargs);
    va_end(varargs);
    return own(level, MPII_QMPI_PASS_WORDS(words));
}

/* MPI itself calls every instance that has MPI_Pcontrol: behind this one is the library, which
 * looks at the level alone. */
static int onward_MPI_Pcontrol(const int level, ...)
{
    const MPIR_QMPI_Link *next = next_link(MPI_PCONTROL_T);

    return ((MPI_Pcontrol_t *) next->fn) (service.context, next->tool_id, level);
}

static const MPII_QMPI_Ends ends[MPI_LAST_FUNC_T] = {
#define MPIX_QMPI_FUNCTION(id, type, name, tool_params, next_args, params, args, buffers) \
    [id] = {(MPIR_QMPI_Any_function *) enter_##name, (MPIR_QMPI_Any_function *) onward_##name},
#define MPIX_QMPI_FUNCTION_PCONTROL MPIX_QMPI_FUNCTION
#include <mpi_qmpi_functions.h>
};

/* ---- names that the tool looks up by itself ---- */

/* The system's dlsym learns from its return address whose RTLD_NEXT is meant: it must be entered by
 * a sibling call, as if the tool had called it. */
#ifndef __clang__
__attribute__((optimize("O2")))
#endif
static void *find_for_tool(void *handle, const char *name)
{
    void *symbol = member.find(&member, handle, name);

    if (symbol)
        return symbol;
#ifdef __clang__
    __attribute__((musttail))
#endif
    return dlsym(handle, name);
}

/* ---- */

static MPII_QMPI_Member member = {
    .num_functions = MPI_LAST_FUNC_T,
    .ends = ends,
    .dlsym = (MPIR_QMPI_Any_function *) find_for_tool
};

__attribute__((constructor))
static void attach(void)
{
    MPII_QMPI_Pmpi_attach(&member);
}

#endif /* MPII_QMPI_HAVE_MEMBERS */
