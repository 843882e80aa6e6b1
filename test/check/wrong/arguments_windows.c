/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Windows and files with arguments that MPI forbids. ranks: 2 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int values[4] = {0}, in = 0;
    MPI_Win window, other;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);

    MPI_Win_create(values, sizeof values, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &other);        /* expect: invalid argument */
    MPI_Win_create(values, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);           /* expect: invalid argument */
    MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);              /* expect: invalid argument */
    MPI_Win_fence(0, MPI_WIN_NULL);                                                 /* expect: invalid argument */
    MPI_Win_lock(17, 0, 0, window);                                                 /* expect: invalid argument */
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window);                                    /* expect: invalid argument */
    MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOSTORE, window);                     /* expect: invalid argument */
    MPI_Win_lock_all(0, window);
    MPI_Put(&in, 1, MPI_INT, 2, 0, 1, MPI_INT, window);                             /* expect: invalid argument */
    MPI_Put(&in, -1, MPI_INT, 0, 0, 1, MPI_INT, window);                            /* expect: invalid argument */
    MPI_Put(&in, 1, MPI_INT, 0, 0, 1, MPI_DATATYPE_NULL, window);                   /* expect: invalid argument */
    MPI_Put(&in, 1, MPI_INT, 0, 0, 1, (MPI_Datatype) MPI_COMM_WORLD, window);       /* expect: invalid argument */
    MPI_Put(&in, 1, MPI_INT, 0, -1, 1, MPI_INT, window);                            /* expect: invalid argument */
    MPI_Get(NULL, 1, MPI_INT, 0, 0, 1, MPI_INT, window);                            /* expect: invalid argument */
    MPI_Accumulate(&in, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, window);         /* expect: invalid argument */
    MPI_Win_unlock_all(window);

    MPI_File_open(MPI_COMM_WORLD, "arguments", MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);     /* expect: invalid argument */
    MPI_File_open(MPI_COMM_WORLD, "arguments", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at(file, -1, &in, 1, MPI_INT, MPI_STATUS_IGNORE);                /* expect: invalid argument */
    MPI_File_write(file, &in, -1, MPI_INT, MPI_STATUS_IGNORE);                      /* expect: invalid argument */
    MPI_File_seek(file, 0, 4711);                                                   /* expect: invalid argument */
    MPI_File_read(file, &in, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE);              /* expect: invalid argument */
    MPI_File_close(&file);

    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
