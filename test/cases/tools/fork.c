/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A child of fork calls MPI_Wtime 1000 times, the parent 10 times. Argument: the end of the child, or
 * "before" (MPI begins in the child only), or "threads" (another thread of the parent is in calls) */

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int has_ended;

static void *call(void *unused)
{
    int flag;
    while (!has_ended)
        MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return unused;
}

static void calls(int number)
{
    double last = 0;
    for (int i = 0; i < number; i++)
        last = MPI_Wtime();
    if (last <= 0)
        exit(3);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "_exit";
    int level, status = 0, flag;
    pthread_t thread;
    pid_t child;

    if (strcmp(kind, "before") == 0) {
        MPI_Initialized(&flag);
        child = fork();
        if (child != 0) {
            waitpid(child, &status, 0);
            return status == 0 ? 0 : 1;
        }
        MPI_Init(&argc, &argv);
        calls(10);
        MPI_Finalize();
        puts("ok");
        return 0;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    calls(10);
    if (strcmp(kind, "threads") == 0) {
        pthread_create(&thread, NULL, call, NULL);
        for (int i = 0; status == 0 && i < 50; i++) {
            child = fork();
            if (child == 0) {
                calls(20);
                _exit(0);
            }
            waitpid(child, &status, 0);
        }
        has_ended = 1;
        pthread_join(thread, NULL);
    } else {
        child = fork();
        if (child == 0) {
            calls(1000);
            if (strcmp(kind, "exit") == 0)
                exit(0);
            _exit(0);
        }
        waitpid(child, &status, 0);
    }
    MPI_Finalize();
    if (status == 0)
        puts("ok");
    return 0;
}
