/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A function that fails returns the error code that the user's error handler has got. A function
 * that only calls the handler returns MPI_SUCCESS. */

#include "mpi.h"
#include <stdio.h>
#include "mpitest.h"

static int calls, code_of_handler;

static void comm_handler(MPI_Comm * comm, int *code, ...)
{
    calls++;
    code_of_handler = *code;
}

static void win_handler(MPI_Win * win, int *code, ...)
{
    comm_handler(NULL, code);
}

static void file_handler(MPI_File * file, int *code, ...)
{
    comm_handler(NULL, code);
}

static void session_handler(MPI_Session * session, int *code, ...)
{
    comm_handler(NULL, code);
}

static int check(const char *what, int failed, int called)
{
    int errs = 0;

    if (failed == MPI_SUCCESS || failed != code_of_handler) {
        fprintf(stderr, "%s: the function returned %d, its handler has got %d\n", what, failed,
                code_of_handler);
        errs++;
    }
    if (called != MPI_SUCCESS) {
        fprintf(stderr, "%s: the function that calls the handler returned %d\n", what, called);
        errs++;
    }
    if (calls != 2) {
        fprintf(stderr, "%s: %d calls of the handler (expected 2)\n", what, calls);
        errs++;
    }
    calls = 0;
    return errs;
}

/* The arguments are evaluated in this order. */
#define CHECK(what, failed, called) do { \
        int failed_code = (failed), code = code_of_handler, called_code = (called); \
        code_of_handler = code; \
        errs += check(what, failed_code, called_code); \
    } while (0)

int main(int argc, char *argv[])
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    MPI_Win win;
    MPI_File file;
    MPI_Session session;
    char text[MPI_MAX_PSET_NAME_LEN];
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    int errs = 0, length = sizeof text;

    MTest_Init(&argc, &argv);

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(comm_handler, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    CHECK("communicator", MPI_Send(NULL, 0, MPI_INT, 77, 0, comm),
          MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER));
    MPI_Errhandler_free(&handler);

    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_create_errhandler(win_handler, &handler);
    MPI_Win_set_errhandler(win, handler);
    CHECK("window", MPI_Put(NULL, 0, MPI_INT, 77, 0, 0, MPI_INT, win),
          MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    MPI_Errhandler_free(&handler);
    MPI_Win_free(&win);

    if (MPI_File_open(comm, "handler_returns.tmp", mode, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
        MPI_File_create_errhandler(file_handler, &handler);
        MPI_File_set_errhandler(file, handler);
        CHECK("file", MPI_File_seek(file, -1, MPI_SEEK_SET),
              MPI_File_call_errhandler(file, MPI_ERR_OTHER));
        MPI_Errhandler_free(&handler);
        MPI_File_close(&file);
    }
    MPI_Comm_free(&comm);

    MPI_Session_create_errhandler(session_handler, &handler);
    MPI_Session_init(MPI_INFO_NULL, handler, &session);
    CHECK("session", MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1000000, &length, text),
          MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
    MPI_Errhandler_free(&handler);
    MPI_Session_finalize(&session);

    MTest_Finalize(errs);
    return MTestReturnValue(errs);
}
