/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A process in a neighborhood operation waits for its neighbors only: rank 0 not for rank 3, which waits for it. ranks: 4
 * tool: timeout=300ms,deadlock=abort */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, length = 4, is_periodic = 0, all[2] = {0, 0}, value = 0;
    MPI_Comm line;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &is_periodic, 0, &line);
    MPI_Comm_rank(line, &rank);
    for (int i = 0; i < 2; i++) {
        if (rank == 1)
            sleep(1);
        if (rank == 3)
            MPI_Recv(&value, 1, MPI_INT, 0, 0, line, MPI_STATUS_IGNORE);
        if (i == 0)
            MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, line);
        else {
            MPI_Ineighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, line, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 3, 0, line);
    }
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
