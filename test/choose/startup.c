/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Cost of a chain at the start: time from before MPI_Init to the end of the first call, and memory
 * for the chain. Prints "microseconds bytes". */

#include <mpi.h>
#include <malloc.h>
#include <stdio.h>
#include <time.h>

static int see_rank(MPI_Context context, int tool_id, MPI_Comm comm, int *rank)
{
    void (*next) (void);
    int next_id;

    MPI_Get_next_tool_function(tool_id, MPI_COMM_RANK_T, &next, &next_id);
    return ((MPI_Comm_rank_t *) next) (context, next_id, comm, rank);
}

static void init(int tool_id)
{
    MPI_Register_tool_function(tool_id, MPI_COMM_RANK_T, (void (*)(void)) see_rank);
}

__attribute__ ((constructor))
static void load(void)
{
    MPI_Register_tool_name("start", init);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

static size_t memory(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

int main(int argc, char **argv)
{
    const size_t before = memory();
    const double begin = now();
    int rank;
    size_t after;

    MPIX_Load_tools();          /* allocates nothing but the chain */
    after = memory();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%.0f %zu\n", now() - begin, after - before);
    MPI_Finalize();
    return 0;
}
