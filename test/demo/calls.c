/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Known numbers of calls in programs that begin and end differently, for the tool count. */

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 100000 };

static void *call(void *unused)
{
    int rank;

    for (int i = 0; i < CALLS; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return unused;
}

/* 400000 times MPI_Comm_rank in each process */
static void threads(void)
{
    pthread_t thread[THREADS];
    int provided;

    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, call, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    MPI_Finalize();
}

/* Two sessions, no world */
static void sessions(void)
{
    MPI_Session first, second;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    MPI_Session_finalize(&first);
    MPI_Session_finalize(&second);
}

/* A child that ends on its own has no table to print */
static void with_child(void)
{
    pid_t child;

    MPI_Init(NULL, NULL);
    child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run) (void);
    } modes[] = { { "threads", threads }, { "sessions", sessions }, { "child", with_child } };

    for (int i = 0; argc == 2 && i < 3; i++) {
        if (!strcmp(argv[1], modes[i].name)) {
            modes[i].run();
            return 0;
        }
    }
    fprintf(stderr, "usage: calls threads|sessions|child\n");
    return 2;
}
