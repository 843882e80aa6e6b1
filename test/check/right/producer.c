/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Many messages before the first receive, and an acknowledgement of all. ranks: 3 tool: timeout=10 */
#include <mpi.h>
#include <unistd.h>

enum { number = 5000 };

int main(int argc, char **argv)
{
    int rank, size, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 2; round++) {
        if (rank == 0) {
            usleep(500000);
            for (int i = 0; i < number * (size - 1); i++)
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 1; i < size; i++)
                MPI_Send(&value, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
        } else {
            for (int i = 0; i < number; i++)
                MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
