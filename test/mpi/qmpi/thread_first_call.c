/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Several threads race for the first MPI call of the process: every instance is initialized
 * exactly once. The argument names the call:
 *   session  MPI_Session_init in two threads: calls that initialize MPI wait until the chain is
 *            built and go through all of it
 *   query    MPI_Initialized in eight threads: a call made while the chain is being built goes to
 *            the library or through the complete chain, a later call through the chain
 * Run with the list race,race. */

#define _GNU_SOURCE
#include "qmpi_test.h"
#include <pthread.h>
#include <unistd.h>

#define MAX_THREADS 8

static int num_threads;
static int inits[3], readies[3], calls[3];
static int ready_to_go = 0;

static int my_session_init(MPI_Context context, int tool_id, MPI_Info info,
                           MPI_Errhandler errhandler, MPI_Session * session)
{
    void (*fn) (void);
    int id;

    __atomic_fetch_add(&calls[tool_id], 1, __ATOMIC_SEQ_CST);
    if (MPI_Get_next_tool_function(tool_id, MPI_SESSION_INIT_T, &fn, &id) != MPI_SUCCESS)
        return MPI_ERR_INTERN;
    return ((MPI_Session_init_t *) fn) (context, id, info, errhandler, session);
}

static int my_initialized(MPI_Context context, int tool_id, int *flag)
{
    void (*fn) (void);
    int id;

    __atomic_fetch_add(&calls[tool_id], 1, __ATOMIC_SEQ_CST);
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
    while (__atomic_load_n(&ready_to_go, __ATOMIC_SEQ_CST) < num_threads)
        usleep(10);
}

static void *first_session(void *session)
{
    wait_for_all();
    return MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session) == MPI_SUCCESS ? NULL :
        session;
}

static void *first_query(void *unused)
{
    int flag = -1;

    wait_for_all();
    return MPI_Initialized(&flag) == MPI_SUCCESS && flag == 0 ? NULL : &ready_to_go;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_THREADS];
    MPI_Session sessions[MAX_THREADS];
    int use_sessions = argc > 1 && strcmp(argv[1], "session") == 0;

    qt_begin(argc, argv);
    num_threads = use_sessions ? 2 : MAX_THREADS;
    for (int i = 0; i < num_threads; i++) {
        sessions[i] = MPI_SESSION_NULL;
        if (pthread_create(&threads[i], NULL, use_sessions ? first_session : first_query,
                           &sessions[i]) != 0)
            abort();
    }
    for (int i = 0; i < num_threads; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        QT_CHECK(failed == NULL, "the call of thread %d failed", i);
    }
    for (int id = 1; id <= 2; id++) {
        QT_CHECK(inits[id] == 1, "instance %d initialized %d times", id, inits[id]);
        QT_CHECK(readies[id] == 1, "instance %d: %d calls of the ready function", id, readies[id]);
        if (use_sessions)
            QT_CHECK(calls[id] == num_threads, "instance %d saw %d calls of %d", id, calls[id],
                     num_threads);
        else
            QT_CHECK(calls[id] >= 1 && calls[id] <= num_threads && calls[id] == calls[1],
                     "instance %d saw %d calls, instance 1 %d", id, calls[id], calls[1]);
    }
    if (!use_sessions) {
        int before = calls[1], flag;

        QT_SUCCESS(MPI_Initialized(&flag));
        QT_CHECK(calls[1] == before + 1 && calls[2] == before + 1,
                 "instances saw %d and %d calls after the race", calls[1], calls[2]);
    }
    for (int i = 0; use_sessions && i < num_threads; i++)
        QT_SUCCESS(MPI_Session_finalize(&sessions[i]));
    return qt_end();
}
