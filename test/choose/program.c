/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A program without any knowledge of tools. Its argument:
 *   (none)   initializes MPI, asks for its rank, and ends
 *   spawn    starts another process of itself that asks for its rank; status 3 if that fails
 *   write    chooses the list that it reads from standard input through MPI_T */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_list(void)
{
    enum { LARGEST = 2 << 20 };
    char *list = calloc(LARGEST + 1, 1);
    int provided, index, count;
    MPI_T_cvar_handle handle;

    if (list == NULL || fread(list, 1, LARGEST, stdin) == 0)
        exit(2);
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) ||
        MPI_T_cvar_get_index("MPIR_CVAR_QMPI_TOOL_LIST", &index) ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) || MPI_T_cvar_write(handle, list))
        exit(2);
    free(list);
}

static void ask_rank(void)
{
    int rank;

    printf("started\n");
    fflush(stdout);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

/* Errors of the spawned process are returned by the call that starts them. */
static void spawn(char *self)
{
    MPI_Comm child;
    int code;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child,
                       &code) != MPI_SUCCESS)
        exit(3);
    MPI_Comm_disconnect(&child);
}

int main(int argc, char **argv)
{
    const char *task = argc > 1 ? argv[1] : "";
    MPI_Comm parent;

    if (strcmp(task, "write") == 0)
        write_list();
    MPI_Init(&argc, &argv);
    ask_rank();
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        MPI_Comm_disconnect(&parent);
    if (strcmp(task, "spawn") == 0)
        spawn(argv[0]);
    MPI_Finalize();
    return 0;
}
