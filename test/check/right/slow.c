/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* One process works for a long time while the others wait for it. ranks: 3 tool: timeout=1 */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        sleep(4);
    if (rank < 2)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    /* in MPI, but not blocked in it */
    if (rank == 0) {
        int is_there = 0;
        double begin = MPI_Wtime();
        while (MPI_Wtime() < begin + 3)
            MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
