/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A program of many cases: the first argument is the name of one. A file ends with CASES(CASE(name), ...), of functions
 *
 *     static void name(int rank, int size)
 *
 * and begins with #define NEEDS_THREADS if its processes have several. Text before a function belongs to its case:
 * helpers, and a comment with the options of its run (ranks:, tool:). */
#ifndef CASES_H_INCLUDED
#define CASES_H_INCLUDED

#include <mpi.h>
#include <string.h>

struct test_case {
    const char *name;
    void (*run)(int rank, int size);
};

static int run_case(int argc, char **argv, const struct test_case *cases, int number)
{
    int rank, size;

#ifdef NEEDS_THREADS
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &rank);
#else
    MPI_Init(&argc, &argv);
#endif
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    while (number > 0 && (argc < 2 || strcmp(cases[number - 1].name, argv[1]) != 0))
        number--;
    if (number == 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    cases[number - 1].run(rank, size);
    MPI_Finalize();
    return 0;
}

#define CASE(name) {#name, name}
#define CASES(...) \
    int main(int argc, char **argv) \
    { \
        static const struct test_case cases[] = {__VA_ARGS__}; \
        return run_case(argc, argv, cases, sizeof cases / sizeof *cases); \
    }

#endif
