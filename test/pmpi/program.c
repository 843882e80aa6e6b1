/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The program under the tools. Each call prints a line with everything that tools noted about it:
 *
 *     MPI_Barrier: n1>MPI_Barrier n3>MPI_Barrier n3<MPI_Barrier n1<MPI_Barrier
 *
 * Modes: "functions" calls each of a few functions once, "sums" broadcasts and reduces (any number
 * of processes), "threads" calls from several threads, "descriptors" counts the open descriptors. */

#include <mpi.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- the record ---- */

static char record[1 << 16];
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Called by the tools. */
void note(const char *text)
{
    pthread_mutex_lock(&lock);
    if (used + strlen(text) + 2 < sizeof(record))
        used += sprintf(record + used, " %s", text);
    pthread_mutex_unlock(&lock);
}

static void begin(void)
{
    used = 0;
    record[0] = '\0';
}

#define SHOW(call)                                                      \
    do {                                                                \
        begin();                                                        \
        call;                                                           \
        printf("%.*s:%s\n", (int) strcspn(#call, "("), #call, record);  \
    } while (0)

/* ---- modes ---- */

static void functions(void)
{
    int n, major, minor;

    SHOW(MPI_Comm_rank(MPI_COMM_WORLD, &n));
    SHOW(MPI_Comm_size(MPI_COMM_WORLD, &n));
    SHOW(MPI_Barrier(MPI_COMM_WORLD));
    SHOW(MPI_Wtime());
    SHOW(MPI_Wtick());
    SHOW(MPI_Get_version(&major, &minor));
    SHOW(MPI_Initialized(&n));
    SHOW(MPI_Pcontrol(3, 7, 2.5, "text"));
}

static int sums(void)
{
    int rank, size, value, sum;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    value = rank == 0 ? 17 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %s\n", sum == 17 * size ? "right" : "wrong");
    return sum != 17 * size;
}

enum { THREADS = 4, CALLS = 10000 };

static void *call_much(void *unused)
{
    int rank;

    for (int i = 0; i < CALLS; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return unused;
}

static void threads(void)
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, call_much, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static void descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int number = 0;

    while (readdir(folder))
        number++;
    closedir(folder);
    printf("descriptors %d\n", number);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int wrong = 0, provided;

    if (!strcmp(mode, "threads"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    if (!strcmp(mode, "functions"))
        functions();
    else if (!strcmp(mode, "sums"))
        wrong = sums();
    else if (!strcmp(mode, "threads"))
        threads();
    else if (!strcmp(mode, "descriptors"))
        descriptors();
    MPI_Finalize();
    return wrong;
}
