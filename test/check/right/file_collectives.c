/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Collective operations on files in the same order, with others between them and on several files at once. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1, got;
    char name[32] = "own0.dat";
    MPI_Comm comm;
    MPI_File file, other, own;
    MPI_Request request;
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 2; i++) {
        MPI_File_open(comm, "none.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);     /* fails everywhere */
        MPI_File_open(comm, "one.dat", mode, MPI_INFO_NULL, &file);
        MPI_File_open(comm, "two.dat", mode, MPI_INFO_NULL, &other);
        name[3] = (char) ('0' + rank);
        MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &own);
        if (rank == 0)
            MPI_File_write_all(own, &value, 1, MPI_INT, MPI_STATUS_IGNORE);         /* of one process */
        MPI_File_close(&own);
        if (rank == 0) {    /* on different files in any order, as they wait for nobody without data */
            MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
            MPI_File_write_at(other, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        }
        MPI_File_set_view(file, 4 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
        MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_File_seek(file, 0, MPI_SEEK_SET);
        MPI_File_read_at_all(file, 0, &got, rank, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_write_ordered(other, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_iwrite_all(other, &value, 1, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_File_write_all_begin(other, &value, 1, MPI_INT);
        MPI_File_write_all_end(other, &value, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
        MPI_File_close(&file);
        MPI_File_seek_shared(other, 0, MPI_SEEK_SET);
        MPI_File_close(&other);
    }
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
