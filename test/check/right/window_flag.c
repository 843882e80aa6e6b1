/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A process learns by a flag in the window that an access is complete, and another one by its message. ranks: 4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, value = 1, flag = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 3, 0, 1, MPI_INT, window);
        MPI_Win_flush(3, window);
        MPI_Accumulate(&value, 1, MPI_INT, 3, 1, 1, MPI_INT, MPI_REPLACE, window);
        MPI_Win_flush(3, window);
    } else if (rank == 1) {
        do {
            MPI_Fetch_and_op(&value, &flag, MPI_INT, 3, 1, MPI_NO_OP, window);
            MPI_Win_flush(3, window);
        } while (!flag);
        MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (rank == 2) {
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&value, 1, MPI_INT, 3, 0, 1, MPI_INT, window);
        MPI_Win_flush(3, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
