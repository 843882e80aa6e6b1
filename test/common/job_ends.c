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
#include "job_ends.h"

enum { ROUNDS = 40, NUMBERS = 10 };

static void write_known(int rank, int rounds)
{
    char text[32];
    snprintf(text, sizeof text, "%d\n", rounds);
    write_text("known", rank, text);
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
    await_all("known", size);
    return end_job(end, rank, size);
}
