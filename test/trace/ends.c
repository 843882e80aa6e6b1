/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The first argument chooses the calls, the second the end:
 *
 *     world | session     1000 times MPI_Sendrecv with itself and 1000 times MPI_Comm_rank
 *     threads             the same in 3 threads, one after the other, and in 3 at once
 *
 *     finalize, exit, kill, abort, fault, fork, spawn, quiet
 *
 * Only rank 1 is killed, aborts, or has a fault; rank 0 waits for it. */

#define _GNU_SOURCE 1
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBER = 1000, THREADS = 3 };

static MPI_Comm comm;

static void *work(void *tag)
{
    int out = 1, in, rank;
    for (int i = 0; i < NUMBER; i++) {
        MPI_Sendrecv(&out, 1, MPI_INT, 0, *(int *) tag, &in, 1, MPI_INT, 0, *(int *) tag, comm,
                     MPI_STATUS_IGNORE);
        MPI_Comm_rank(comm, &rank);
    }
    return NULL;
}

static void work_in_threads(void)
{
    pthread_t threads[THREADS];
    int tags[THREADS];

    for (int i = 0; i < THREADS; i++) {
        tags[i] = 10 + i;
        pthread_create(&threads[i], NULL, work, &tags[i]);
        pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &tags[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static void in_session(void)
{
    MPI_Session session;
    MPI_Group group;
    int tag = 1;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &group);
    MPI_Comm_create_from_group(group, "work", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    work(&tag);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}

int main(int argc, char **argv)
{
    const char *what = argv[1], *end = argc > 2 ? argv[2] : "finalize";
    int level, rank, tag = 1;
    MPI_Comm other;

    if (strcmp(what, "session") == 0) {
        in_session();
        return 0;
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    comm = MPI_COMM_SELF;
    if (strcmp(what, "threads") == 0)
        work_in_threads();
    else
        work(&tag);

    if (strcmp(end, "exit") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);    /* mpiexec may end the job with the first process */
        exit(0);
    }
    if (strcmp(end, "fork") == 0) {
        pid_t child = fork();
        if (child == 0) {
            int flag;
            MPI_Initialized(&flag);
            exit(3);
        }
        waitpid(child, NULL, 0);
    }
    if (strcmp(end, "spawn") == 0) {
        MPI_Comm_get_parent(&other);
        if (other == MPI_COMM_NULL)
            MPI_Comm_spawn(argv[0], &argv[1], 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                           MPI_ERRCODES_IGNORE);
        MPI_Barrier(other);
        MPI_Comm_disconnect(&other);
    }
    if (strcmp(end, "quiet") == 0) {
        MPI_Pcontrol(0);
        work(&tag);
        MPI_Pcontrol(1);
        work(&tag);
    }
    if (rank == 1 && strcmp(end, "kill") == 0)
        raise(SIGKILL);
    if (rank == 1 && strcmp(end, "fault") == 0)
        *(volatile int *) 8 = 1;
    if (rank == 1 && strcmp(end, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
