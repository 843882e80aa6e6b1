/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Error handlers that the program asks for are those that it would have without the tool, and predefined ones need
 * not be freed. ranks: 2 */
#include <mpi.h>

/* Of MPI-1 */
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *handler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler);

int main(int argc, char **argv)
{
    int wrong = 0, *memory;
    MPI_Errhandler old;
    MPI_Comm comm;
    MPI_Win window;
    MPI_File file;
    MPI_Session session;

    MPI_Init(&argc, &argv);
    MPI_Errhandler_get(MPI_COMM_WORLD, &old);
    wrong += old != MPI_ERRORS_ARE_FATAL;
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_set(MPI_COMM_WORLD, old);
    MPI_Errhandler_get(MPI_COMM_SELF, &old);
    wrong += old != MPI_ERRORS_ARE_FATAL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Errhandler_get(comm, &old);
    wrong += old != MPI_ERRORS_ARE_FATAL;
    MPI_Comm_get_errhandler(comm, &old);
    wrong += old != MPI_ERRORS_ARE_FATAL;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Errhandler_get(comm, &old);
    wrong += old != MPI_ERRORS_RETURN;
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, comm, &memory, &window);
    MPI_Win_get_errhandler(window, &old);
    wrong += old != MPI_ERRORS_ARE_FATAL;
    MPI_Win_free(&window);
    MPI_File_get_errhandler(MPI_FILE_NULL, &old);
    wrong += old != MPI_ERRORS_RETURN;
    MPI_File_open(comm, "handlers.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_get_errhandler(file, &old);
    wrong += old != MPI_ERRORS_RETURN;
    MPI_File_close(&file);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_get_errhandler(session, &old);
    wrong += old != MPI_ERRORS_ARE_FATAL;
    MPI_Session_finalize(&session);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return wrong;
}
