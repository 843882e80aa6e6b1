/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Threads call MPI before, while and after the main thread initializes it. Each makes CALLS calls of MPI_Comm_rank then.
 *
 *     world      MPI_Init_thread
 *     session    MPI_Session_init, then MPI_Init_thread
 *     never      no initialization: the program ends while the threads call MPI
 */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 10 };

static atomic_int has_ended;

static void *spin(void *unused)
{
    int flag, rank;
    while (!has_ended) {
        MPI_Initialized(&flag);
        for (volatile int i = 0; i < 300; i++);
    }
    for (int i = 0; i < CALLS; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return unused;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "world";
    const int uses_session = strcmp(how, "session") == 0;
    pthread_t threads[THREADS];
    MPI_Session session;
    int level;

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, spin, NULL);
    if (strcmp(how, "never") == 0) {
        usleep(20000);
        puts("ok");
        return 0;
    }
    if (uses_session)
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    has_ended = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (uses_session)
        MPI_Session_finalize(&session);
    MPI_Finalize();
    puts("ok");
    return 0;
}
