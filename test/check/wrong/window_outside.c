/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accesses that are not inside the window of the target. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, memory[20] = {0}, data[10] = {0};
    MPI_Win window;
    MPI_Datatype apart;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    MPI_Win_create(memory, 10 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    MPI_Put(data, 10, MPI_INT, other, 1, 10, MPI_INT, window);                      /* expect: invalid argument */
    MPI_Win_fence(0, window);
    MPI_Get(data, 2, MPI_INT, other, 8, 1, apart, window);                          /* expect: invalid argument */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Accumulate(data, 1, MPI_INT, other, 10, 1, MPI_INT, MPI_SUM, window);       /* expect: invalid argument */
    MPI_Win_unlock(other, window);
    MPI_Win_lock_all(0, window);
    MPI_Fetch_and_op(data, data + 1, MPI_INT, other, 15, MPI_SUM, window);          /* expect: invalid argument */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Type_free(&apart);
    MPI_Finalize();
    return 0;
}
