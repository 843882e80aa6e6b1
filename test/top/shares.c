/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Ranks that meet in rounds until the file "stop" exists: shares MICROSECONDS ...
 * Rank i is outside MPI for the i-th time in each round. A few times a second it writes the time, its
 * time in MPI and its calls so far to shares.RANK. */

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void work(double seconds)
{
    const double end = now() + seconds;
    if (seconds > 1e-3)
        usleep((useconds_t) (1e6 * seconds));
    while (now() < end)
        continue;
}

static FILE *file_of(const char *name, int rank)
{
    char file[32];
    sprintf(file, "%s.%d", name, rank);
    return fopen(file, "w");
}

int main(int argc, char **argv)
{
    int rank, size, is_last = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double seconds = rank + 1 < argc ? 1e-6 * atof(argv[rank + 1]) : 0;
    MPI_Barrier(MPI_COMM_WORLD);
    FILE *const ready = file_of("ready", rank), *const log = file_of("shares", rank);
    fprintf(ready, "%d\n", (int) getpid());
    fclose(ready);
    double in_mpi = 0, noted = 0;
    long calls = 0;
    while (!is_last) {
        work(seconds);
        int ends = 0;
        if (now() > noted + 0.05) {
            noted = now();
            fprintf(log, "%.6f %.6f %ld\n", noted, in_mpi, calls);
            ends = access("stop", F_OK) == 0;
        }
        const double begin = now();
        MPI_Allreduce(&ends, &is_last, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);    /* [round] */
        in_mpi += now() - begin;
        calls++;
    }
    fclose(log);
    MPI_Finalize();
    return 0;
}
