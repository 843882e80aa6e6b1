/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* An error handler leaves an MPI call by longjmp, in main or in a deeper function; then rank 1 waits in MPI_Recv. */
#include <mpi.h>
#include <setjmp.h>
#include <string.h>
#include <unistd.h>

static jmp_buf checkpoint;
static int rank, number;

static void leave(MPI_Comm *comm, int *code, ...)
{
    (void) comm, (void) code;
    longjmp(checkpoint, 1);
}

static void fail(void)
{
    MPI_Send(&number, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
}

/* Rank 0 is late. */
static void wait_for_message(int depth)
{
    volatile char frame[256];
    memset((void *) frame, depth, sizeof frame);
    if (depth > 0)
        wait_for_message(depth - 1);
    else if (rank == 0) {
        usleep(50000);
        MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else
        MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *where = argv[1];
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (setjmp(checkpoint) == 0) {
        if (strcmp(where, "main") == 0)
            MPI_Send(&number, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
        else
            fail();
        return 1;
    }
    for (int i = 0; i < 4; i++)
        wait_for_message(3 * i);
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
