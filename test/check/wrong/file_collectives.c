/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Other collective operations on a file, or in another order. They may wait for each other. ranks: 2 cases: 5 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_File file;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "collectives.dat", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_set_size(file, 64);
    switch (atoi(argv[1])) {
    case 1:
        if (rank == 0)
            MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);        /* either: collective mismatch */
        else
            MPI_File_write_at_all(file, 8, &value, 1, MPI_INT, MPI_STATUS_IGNORE);  /* either: collective mismatch */
        break;
    case 2:
        if (rank == 0)
            MPI_File_sync(file);                                                    /* either: collective mismatch */
        MPI_File_read_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);             /* either: collective mismatch */
        if (rank == 1)
            MPI_File_sync(file);
        break;
    case 3:
        if (rank == 0) {
            MPI_File_iread_all(file, &value, 1, MPI_INT, &request);                 /* either: collective mismatch */
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else
            MPI_File_read_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);         /* either: collective mismatch */
        break;
    case 4:
        if (rank == 0) {
            MPI_File_write_all_begin(file, &value, 1, MPI_INT);                     /* either: collective mismatch */
            MPI_File_write_all_end(file, &value, MPI_STATUS_IGNORE);
        } else
            MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);        /* either: collective mismatch */
        break;
    case 5:
        if (rank == 0)
            MPI_File_close(&file);                                                  /* either: collective mismatch */
        else
            MPI_File_set_size(file, 8);                                             /* either: collective mismatch */
        break;
    }
    MPI_Abort(MPI_COMM_WORLD, 0);
}
