/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Several threads call MPI while the chain is built: every instance is initialized exactly once.
 * The argument names the calls:
 *   sessions  MPI_Session_init in all threads: calls that initialize MPI wait until the chain is
 *             built and go through all of it
 *   queries   MPI_Initialized in all threads but one: a call made while the chain is being built
 *             goes to the library or through the complete chain, a later call through the chain
 * Run with the list race,race. */

#define _GNU_SOURCE
#include "qmpi_test.h"
#include <pthread.h>
#include <unistd.h>

#define NUM_THREADS 8

static int inits[3], readies[3], sessions_seen[3], queries_seen[3];
static int ready_to_go = 0;

static int my_session_init(MPI_Context context, int tool_id, MPI_Info info,
                           MPI_Errhandler errhandler, MPI_Session * session)
{
    void (*fn) (void);
    int id;

    __atomic_fetch_add(&sessions_seen[tool_id], 1, __ATOMIC_SEQ_CST);
    if (MPI_Get_next_tool_function(tool_id, MPI_SESSION_INIT_T, &fn, &id) != MPI_SUCCESS)
        return MPI_ERR_INTERN;
    return ((MPI_Session_init_t *) fn) (context, id, info, errhandler, session);
}

static int my_initialized(MPI_Context context, int tool_id, int *flag)
{
    void (*fn) (void);
    int id;

    __atomic_fetch_add(&queries_seen[tool_id], 1, __ATOMIC_SEQ_CST);
    if (MPI_Get_next_tool_function(tool_id, MPI_INITIALIZED_T, &fn, &id) != MPI_SUCCESS)
        return MPI_ERR_INTERN;
    return ((MPI_Initialized_t *) fn) (context, id, flag);
}

static void ready_race(int tool_id)
{
    __atomic_fetch_add(&readies[tool_id], 1, __ATOMIC_SEQ_CST);
}

/* Slow, so that the other threads call while the chain is being built. */
static void init_race(int tool_id)
{
    __atomic_fetch_add(&inits[tool_id], 1, __ATOMIC_SEQ_CST);
    usleep(50000);
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_SESSION_INIT_T,
                                          (void (*)(void)) my_session_init));
    QT_SUCCESS(MPI_Register_tool_function(tool_id, MPI_INITIALIZED_T,
                                          (void (*)(void)) my_initialized));
    QT_SUCCESS(MPIX_Register_tool_ready_function(tool_id, ready_race));
}

__attribute__ ((constructor))
static void load(void)
{
    qt_register("race", init_race);
}

/* a barrier */
static void wait_for_all(void)
{
    __atomic_fetch_add(&ready_to_go, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&ready_to_go, __ATOMIC_SEQ_CST) < NUM_THREADS)
        usleep(10);
}

static void *first_session(void *session)
{
    wait_for_all();
    return MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session) == MPI_SUCCESS ? NULL :
        session;
}

static void *first_queries(void *unused)
{
    int flag = -1;

    wait_for_all();
    for (int i = 0; i < 1000; i++)
        if (MPI_Initialized(&flag) != MPI_SUCCESS)
            return &ready_to_go;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[NUM_THREADS];
    MPI_Session sessions[NUM_THREADS];
    const int num_sessions = argc > 1 && strcmp(argv[1], "sessions") == 0 ? NUM_THREADS : 1;
    int flag, seen;

    qt_begin();
    for (int i = 0; i < NUM_THREADS; i++) {
        sessions[i] = MPI_SESSION_NULL;
        if (pthread_create(&threads[i], NULL, i < num_sessions ? first_session : first_queries,
                           &sessions[i]) != 0)
            abort();
    }
    for (int i = 0; i < NUM_THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        QT_CHECK(failed == NULL, "the call of thread %d failed", i);
    }
    for (int id = 1; id <= 2; id++) {
        QT_CHECK(inits[id] == 1, "instance %d initialized %d times", id, inits[id]);
        QT_CHECK(readies[id] == 1, "instance %d: %d calls of the ready function", id, readies[id]);
        QT_CHECK(sessions_seen[id] == num_sessions, "instance %d saw %d sessions of %d", id,
                 sessions_seen[id], num_sessions);
        QT_CHECK(queries_seen[id] == queries_seen[1], "instance %d saw %d calls, instance 1 %d", id,
                 queries_seen[id], queries_seen[1]);
    }
    seen = queries_seen[1];
    QT_SUCCESS(MPI_Initialized(&flag));
    QT_CHECK(queries_seen[1] == seen + 1 && queries_seen[2] == seen + 1,
             "instances saw %d and %d calls after the race", queries_seen[1], queries_seen[2]);
    for (int i = 0; i < num_sessions; i++)
        QT_SUCCESS(MPI_Session_finalize(&sessions[i]));
    return qt_end();
}
