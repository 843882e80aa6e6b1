/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Ends without MPI_Finalize, or as the argument says:
 *
 *     thread      another thread calls exit
 *     one         rank 1 ends, the others wait for its message
 *     abort       with MPI_Abort
 *     error       the library ends the program in MPI_Send
 *     late        an exit handler that is older than the tools calls MPI_Finalize
 *     child       with MPI_Finalize, after a child made by fork has called exit
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void finalize(void)
{
    MPI_Finalize();
}

static void *leave(void *unused)
{
    (void) unused;
    exit(0);
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "";
    int rank, value = 0, provided;
    pthread_t thread;

    if (strcmp(end, "late") == 0)
        atexit(finalize);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);  /* not finalized */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(end, "thread") == 0) {
        pthread_create(&thread, NULL, leave, NULL);
        pthread_join(thread, NULL);
    }
    if (strcmp(end, "one") == 0 && rank != 1)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(end, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(end, "error") == 0)
        MPI_Send(&value, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    if (strcmp(end, "child") == 0) {
        const pid_t child = fork();
        if (child == 0)
            exit(0);
        waitpid(child, NULL, 0);
        MPI_Finalize();
    }
    return 0;
}
