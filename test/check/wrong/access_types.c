/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Origin and target of an access do not match. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, memory[10] = {0}, data[10] = {0}, result[10];
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, window);
    MPI_Put(data, 10, MPI_INT, other, 0, 5, MPI_INT, window);                       /* expect: truncation */
    MPI_Win_flush_all(window);
    MPI_Get(data, 4, MPI_INT, other, 0, 5, MPI_INT, window);                        /* expect: truncation */
    MPI_Win_flush_all(window);
    MPI_Put(data, 4, MPI_INT, other, 0, 4, MPI_FLOAT, window);                      /* expect: type mismatch */
    MPI_Win_flush_all(window);
    MPI_Get_accumulate(data, 4, MPI_INT, result, 3, MPI_INT, other, 0, 4, MPI_INT, MPI_SUM, window);    /* expect: truncation */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
