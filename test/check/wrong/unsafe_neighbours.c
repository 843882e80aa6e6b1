/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The receiver is in a neighborhood collective that needs data of the sender, which enters it after the send. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value, others[2];
    const int size = 3, period = 0;
    MPI_Comm line;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &line);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);              /* expect: possible deadlock */
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, others, 1, MPI_INT, line);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
