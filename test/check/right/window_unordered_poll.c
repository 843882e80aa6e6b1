/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* As window_poll.c, but the process that writes the flag knows by an operation that is not followed that the access is
 * complete. ranks: 4 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, value = 1, known = 0, flag = 0;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(3 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = memory[2] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        MPI_Put(&value, 1, MPI_INT, 3, 0, 1, MPI_INT, window);
        MPI_Win_flush(3, window);
        MPI_Accumulate(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, window);
        MPI_Win_flush(0, window);
    } else if (rank == 1) {
        while (!known) {
            MPI_Fetch_and_op(&value, &known, MPI_INT, 0, 1, MPI_NO_OP, window);
            MPI_Win_flush(0, window);
        }
        MPI_Put(&value, 1, MPI_INT, 2, 2, 1, MPI_INT, window);
        MPI_Win_flush(2, window);
    } else if (rank == 2) {
        while (__atomic_load_n(&memory[2], __ATOMIC_ACQUIRE) == 0)
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); /* progress */
        MPI_Put(&value, 1, MPI_INT, 3, 0, 1, MPI_INT, window);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
