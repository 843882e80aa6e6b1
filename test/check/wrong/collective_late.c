/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A later broadcast of a loop is longer than the buffer, and its root makes no call for a while. ranks: 2 */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, values[10] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 10; i++)
        MPI_Bcast(values, i == 9 && rank == 0 ? 2 : 1, MPI_INT, 0, MPI_COMM_WORLD);   /* expect: type mismatch */
    if (rank == 0)
        usleep(50000);
    MPI_Finalize();
    return 0;
}
