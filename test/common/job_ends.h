/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* How programs that know what they did tell it, and end. */

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes the file STEM.RANK. Atomic, so that a reader never sees a part. */
static void write_text(const char *stem, int rank, const char *text)
{
    char name[32], temporary[32];
    FILE *file;
    snprintf(name, sizeof name, "%s.%d", stem, rank);
    snprintf(temporary, sizeof temporary, "part.%d", rank);
    file = fopen(temporary, "w");
    fputs(text, file);
    fclose(file);
    rename(temporary, name);
}

/* Returns when the process has written its file. Not a barrier: no MPI call is added. */
static void await(const char *stem, int rank)
{
    char name[32];
    snprintf(name, sizeof name, "%s.%d", stem, rank);
    while (access(name, R_OK) != 0)
        usleep(1000);
}

static void await_all(const char *stem, int size)
{
    for (int i = 0; i < size; i++)
        await(stem, i);
}

/* Ends the process: finalize, abort, error, kill, kill_all, exit, leave; any other word is a hang.
 * Returns the status for main. */
static int end_job(const char *end, int rank, int size)
{
    int number = 0;

    if (strcmp(end, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(end, "error") == 0 && rank == 1)
        MPI_Send(&number, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD);
    if (strcmp(end, "kill_all") == 0 || (strcmp(end, "kill") == 0 && rank == 1))
        raise(SIGKILL);
    if (strcmp(end, "exit") == 0)
        _exit(5);
    if (strcmp(end, "leave") == 0)
        return 0;
    if (strcmp(end, "finalize") != 0)
        sleep(300);
    MPI_Finalize();
    return 0;
}
