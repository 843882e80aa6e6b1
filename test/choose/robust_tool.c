/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Tools that test the edges of the interface, one for each macro:
 *   POLLING   a thread of the constructor reads the storage of instance 1 while the chain is built
 *   STORING   uses its storage in MPI_Iprobe
 *   BLAMING   instance 2 declares instance 1 as failed
 *   WAITING   the init callback waits for the program */

#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int pass_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    void (*next) (void);
    int next_id;

    MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &next, &next_id);
    return ((MPI_Comm_rank_t *) next) (context, next_id, comm, rank);
}

#ifdef POLLING
#define NAME "polling"

static atomic_int polls, is_over;
static pthread_t poller;
static _Thread_local int is_poller;

static void *poll_storage(void *unused)
{
    void *storage;

    is_poller = 1;
    while (!is_over) {
        MPI_Get_tool_storage(NULL, 1, &storage);
        polls++;
    }
    return unused;
}

static void start(void)
{
    pthread_create(&poller, NULL, poll_storage, NULL);
    while (!polls)
        usleep(100);
}

__attribute__ ((destructor))
static void end(void)
{
    is_over = 1;
    pthread_join(poller, NULL);
}

/* The other thread makes a call in every allocation of the thread that builds the chain. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

static void give_way(void)
{
    const int before = polls;

    if (before && !is_poller && !is_over)
        for (int i = 0; i < 20 && polls == before; i++)
            usleep(50);
}

void *malloc(size_t size)
{
    give_way();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    give_way();
    return __libc_calloc(count, size);
}
#endif

#ifdef STORING
#define NAME "storing"

struct state {
    long probes;
    struct state *self;
};

extern atomic_int program_has_acted;

/* Room for the other thread at exit: freeing memory takes a while. */
void __libc_free(void *memory);
void free(void *memory)
{
    if (program_has_acted)
        usleep(1000);
    __libc_free(memory);
}

static int count_probe(MPI_Context context, int tool_id, int source, int tag, MPI_Comm comm,
                       int *flag, MPI_Status * status)
{
    void (*next) (void);
    int next_id;
    struct state *state = NULL;

    if (program_has_acted)
        usleep(2000);
    MPI_Get_tool_storage(context, tool_id, &state);
    if (state->self != state)
        abort();
    state->probes++;
    MPI_Get_next_tool_function(tool_id, MPI_IPROBE_T, &next, &next_id);
    return ((MPI_Iprobe_t *) next) (context, next_id, source, tag, comm, flag, status);
}
#endif

#ifdef WAITING
#define NAME "waiting"
extern atomic_int tool_is_in_init, program_has_acted;
#endif

#ifdef BLAMING
#define NAME "blaming"
#endif

static void init(int tool_id)
{
    MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, (void (*)(void)) pass_rank);
#ifdef STORING
    struct state *state = malloc(sizeof(*state));

    state->probes = 0;
    state->self = state;
    MPI_Register_tool_storage(tool_id, state);
    MPI_Register_tool_function(tool_id, MPI_IPROBE_T, (void (*)(void)) count_probe);
#endif
#ifdef BLAMING
    if (tool_id == 2) {
        int error_code = MPIX_Fail_tool(1, "blamed by another instance"), error_class;

        MPI_Error_class(error_code, &error_class);
        printf("%s\n", error_class == MPI_ERR_ARG ? "MPI_ERR_ARG" : "another class");
    }
#endif
#ifdef WAITING
    tool_is_in_init = 1;
    while (!program_has_acted)
        usleep(100);
    /* a cancellation point after a cancellation */
    usleep(1000);
#endif
}

__attribute__ ((constructor))
static void load(void)
{
#ifdef POLLING
    start();
#endif
    MPI_Register_tool_name(NAME, init);
}
