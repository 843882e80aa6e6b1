/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A communicator is used after it was freed; the program ends there. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm comm, copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    copy = comm;
    MPI_Comm_free(&comm);
    MPI_Barrier(copy);                              /* expect: freed handle */
    MPI_Finalize();
    return 0;
}
