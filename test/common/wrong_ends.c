/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Makes two errors in each of ROUNDS rounds: a message of integers that is received as floating
 * point numbers, which takes two processes to find, and two pending receives in the same memory,
 * which one process finds. Writes the numbers of both errors to the file known.RANK when
 * they are made. Then it ends as the argument says:
 *
 *     finalize, abort, error, kill, kill_all, exit, leave, hang
 *     first [RANK]    this rank, or 0, is killed; the others repeat the second error alone and are
 *                     killed, too
 *     stay [RANK]     the same, but the others then sleep
 *     wait            like hang, but rank 1 is in MPI_Recv
 *     resume          when there is a file go, all repeat the second error and write again.RANK */

#define _GNU_SOURCE
#include "job_ends.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { ROUNDS = 10, NUMBERS = 4 };

static int rank, size, mismatches, overlaps;

static void write_numbers(const char *stem)
{
    char text[32];
    snprintf(text, sizeof text, "%d %d\n", mismatches, overlaps);
    write_text(stem, rank, text);
}

static void mismatch(void)
{
    int out[NUMBERS] = { 0 };
    float in[NUMBERS];
    MPI_Sendrecv(out, NUMBERS, MPI_INT, (rank + 1) % size, 0, in, NUMBERS, MPI_FLOAT,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);   /* mismatch */
    mismatches++;
}

static void overlap(void)
{
    int in[NUMBERS], out[NUMBERS] = { 0 };
    MPI_Request requests[2];
    MPI_Irecv(in, NUMBERS, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Irecv(in, NUMBERS, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]); /* overlap */
    for (int i = 0; i < 2; i++)
        MPI_Send(out, NUMBERS, MPI_INT, 0, i, MPI_COMM_SELF);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    overlaps++;
}

static pid_t process_of(int other)
{
    int number = 0;
    char name[32];
    FILE *file;
    await("process", other);
    snprintf(name, sizeof name, "process.%d", other);
    file = fopen(name, "r");
    if (fscanf(file, "%d", &number) != 1)
        exit(1);
    fclose(file);
    return number;
}

/* When a process has been killed, mpiexec kills the process groups of the others. */
static void leave_process_group(void)
{
    const pid_t child = fork();
    if (child != 0) {
        waitpid(child, NULL, 0);
        raise(SIGKILL);
    }
    setpgid(0, 0);
}

static void repeat_overlap(void)
{
    for (int i = 0; i < ROUNDS; i++)
        overlap();
}

static void outlive(int first, const char *end)
{
    pid_t process;
    write_text("ready", rank, "");
    if (rank == first) {
        await_all("ready", size);
        write_numbers("known");
        raise(SIGKILL);
    }
    process = process_of(first);
    while (kill(process, 0) == 0 || errno != ESRCH)
        usleep(1000);
    repeat_overlap();
    write_numbers("known");
    if (strcmp(end, "first") == 0)
        raise(SIGKILL);
    sleep(300);
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "finalize";
    const int is_outliving = strcmp(end, "first") == 0 || strcmp(end, "stay") == 0;
    char text[32];
    int numbers[1] = { 0 };

    if (is_outliving)
        leave_process_group();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(text, sizeof text, "%d\n", (int) getpid());
    write_text("process", rank, text);
    for (int i = 0; i < ROUNDS; i++) {
        mismatch();
        overlap();
    }
    /* The first call of a call site: check then has all events before. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_outliving)
        outlive(argc > 2 ? atoi(argv[2]) : 0, end);
    write_numbers("known");
    await_all("known", size);

    if (strcmp(end, "resume") == 0) {
        while (access("go", R_OK) != 0)
            usleep(1000);
        repeat_overlap();
        write_numbers("again");
    }

    if (strcmp(end, "wait") == 0 && rank == 1)
        MPI_Recv(numbers, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* wait */
    return end_job(end, rank, size);
}
