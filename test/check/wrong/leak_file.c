/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A file is not closed. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_SELF, rank == 0 ? "leak.0" : "leak.1", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);    /* expect: leak */
    MPI_Finalize();
    return 0;
}
