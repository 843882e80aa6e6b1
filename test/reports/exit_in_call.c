/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A thread is in MPI_Comm_dup when the process exits: the copy function of an attribute returns when
 * an exit handler lets it, which is older than the tools and so runs after they have ended. Prints
 * "right" then. */

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_t thread;
static volatile int is_in_call, may_return;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void) comm, (void) key, (void) extra, (void) in, (void) out;
    is_in_call = 1;
    while (!may_return)
        usleep(1000);
    *flag = 0;
    return MPI_SUCCESS;
}

static void *duplicate(void *comm)
{
    MPI_Comm_dup(MPI_COMM_SELF, comm);
    return NULL;
}

static MPI_Comm late = MPI_COMM_NULL;

static void let_return(void)
{
    may_return = 1;
    pthread_join(thread, NULL);
    puts(late == MPI_COMM_NULL ? "no communicator" : "right");
}

int main(int argc, char **argv)
{
    int provided, key;
    MPI_Comm early;
    atexit(let_return);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_dup(MPI_COMM_SELF, &early);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    pthread_create(&thread, NULL, duplicate, &late);
    while (!is_in_call)
        usleep(1000);
    exit(provided == MPI_THREAD_MULTIPLE ? 0 : 2);
}
