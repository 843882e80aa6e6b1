/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Both processes send first, in a loop that also works in the other order. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        if (rank == 0 && i < 5) {
            MPI_Recv(&value, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&rank, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);
        } else {
            MPI_Send(&rank, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD);       /* expect: possible deadlock */
            MPI_Recv(&value, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
