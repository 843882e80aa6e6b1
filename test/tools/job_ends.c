/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Makes ROUNDS rounds of one message around a ring and one barrier, prints nothing, and writes the
 * number of its calls to the file known.RANK when they are made. Then it ends as the argument says:
 *
 *     finalize, abort, error, kill, kill_all, exit, leave, hang
 *     forever    makes rounds without end and keeps the number in the file current */

#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 40, NUMBERS = 10 };

/* Atomic, so that a reader never sees a part. */
static void write_known(int rank, int rounds)
{
    char name[32], temporary[32];
    FILE *file;
    snprintf(name, sizeof name, "known.%d", rank);
    snprintf(temporary, sizeof temporary, "part.%d", rank);
    file = fopen(temporary, "w");
    fprintf(file, "%d\n", rounds);
    fclose(file);
    rename(temporary, name);
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "finalize";
    const int is_endless = strcmp(end, "forever") == 0;
    int rank, size, out[NUMBERS] = { 0 }, in[NUMBERS];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROUNDS || is_endless; i++) {
        MPI_Sendrecv(out, NUMBERS, MPI_INT, (rank + 1) % size, 0, in, NUMBERS, MPI_INT,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (is_endless)
            write_known(rank, i + 1);
    }
    write_known(rank, ROUNDS);
    /* Not a barrier: the numbers above must stay as they are. */
    for (int i = 0; i < size; i++) {
        char name[32];
        snprintf(name, sizeof name, "known.%d", i);
        while (access(name, R_OK) != 0)
            usleep(1000);
    }

    if (strcmp(end, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(end, "error") == 0 && rank == 1)
        MPI_Send(out, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD);
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
