/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* status WORLD LEAK STATUS - leaks an info object if LEAK is 1, and ends with the status. WORLD 0: with a session
 * only. Exit handlers registered before and after MPI_Init print a line; the output has a buffer. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void first(void)
{
    printf("handler before MPI_Init\n");
}

static void last(void)
{
    printf("handler after MPI_Init\n");
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Session session;
    const int has_world = argc > 3 && atoi(argv[1]);

    atexit(first);
    if (has_world)
        MPI_Init(&argc, &argv);
    else
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    atexit(last);
    MPI_Info_create(&info);
    if (argc > 3 && !atoi(argv[2]))
        MPI_Info_free(&info);
    if (has_world)
        MPI_Finalize();
    else
        MPI_Session_finalize(&session);
    return argc > 3 ? atoi(argv[3]) : 9;
}
