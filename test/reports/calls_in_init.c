/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Eight threads call MPI before, while and after the main thread initializes it with a session. Prints the number of calls
 * of all. The chain is built before: calls made meanwhile would go to the library. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 8

static atomic_int is_initialized;

static void *make_infos(void *calls)
{
    int is_last;
    do {
        MPI_Info info;
        is_last = is_initialized;
        MPI_Info_create(&info);
        MPI_Info_free(&info);
        *(long *) calls += 2;
    } while (!is_last);
    return NULL;
}

int main(void)
{
    MPI_Session session;
    pthread_t threads[THREADS];
    long calls[THREADS] = { 0 }, sum = 2;

    MPIX_Load_tools();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, make_infos, &calls[i]);
    usleep(10000);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    is_initialized = 1;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += calls[i];
    }
    MPI_Session_finalize(&session);
    printf("%ld\n", sum);
    return 0;
}
