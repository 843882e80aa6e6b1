/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Errors on communicators with different handlers; the last one ends the job. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void count(MPI_Comm *comm, int *error_code, ...)
{
    printf("handler of the program\n");
}

static void fail(const char *name, MPI_Comm comm)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, error_class;
    const int error_code = MPI_Send(NULL, 0, MPI_INT, 99, 0, comm);

    MPI_Error_class(error_code, &error_class);
    MPI_Error_string(error_class, text, &length);
    printf("%s: %s\n", name, text);
    fflush(stdout);
}

static int is_fatal(MPI_Comm comm)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    const int is_fatal = handler == MPI_ERRORS_ARE_FATAL;
    MPI_Errhandler_free(&handler);
    return is_fatal;
}

int main(int argc, char **argv)
{
    MPI_Comm before, other, own, explicit_one;
    MPI_Errhandler handler;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &before);
    MPI_Comm_dup(MPI_COMM_SELF, &other);
    printf("fatal: %d %d %d\n", is_fatal(MPI_COMM_WORLD), is_fatal(before), is_fatal(other));

    MPI_Comm_create_errhandler(count, &handler);
    MPI_Comm_dup(before, &own);
    MPI_Comm_set_errhandler(own, handler);
    fail("own handler", own);

    const char *name = argc > 1 ? argv[1] : "";
    const MPI_Comm changed = strcmp(name, "self") == 0 ? MPI_COMM_SELF : MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(changed, MPI_ERRORS_RETURN);
    if (changed == MPI_COMM_WORLD) {
        fail("changed later", before);
        fail("made from MPI_COMM_SELF", other);
        MPI_Comm_set_errhandler(changed, handler);
        fail("with the handler of MPI_COMM_WORLD", before);
        MPI_Errhandler_free(&handler);
        printf("fatal: %d %d %d\n", is_fatal(MPI_COMM_WORLD), is_fatal(before), is_fatal(other));
    } else
        fail("with the handler of MPI_COMM_SELF", before);  /* ends the job if there is no such rule */

    MPI_Comm_dup(before, &explicit_one);
    MPI_Comm_set_errhandler(explicit_one, MPI_ERRORS_ARE_FATAL);
    fail("explicit", explicit_one);
    MPI_Finalize();
    return 0;
}
