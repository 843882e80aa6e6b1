/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The communicator is freed before its message is received, which ends the program in MPICH 5. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 5, copy);                        /* expect: message not received */
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
