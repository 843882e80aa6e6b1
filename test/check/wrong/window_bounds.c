/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accesses by types with a negative lower bound that begin before the window, or end after it. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, values[4] = {0}, results[4], one = 1, two[2] = {1, 1};
    static int memory[32];
    MPI_Aint back = -8, both[2] = {-16, -8};
    MPI_Datatype behind, apart;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Type_create_hindexed(1, &one, &back, MPI_INT, &behind);
    MPI_Type_create_hindexed(2, two, both, MPI_INT, &apart);
    MPI_Type_commit(&behind);
    MPI_Type_commit(&apart);
    MPI_Win_create(&memory[12], 32, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    MPI_Put(values, 1, MPI_INT, other, 37, 1, behind, window);      /* expect: invalid argument */
    MPI_Put(values, 1, MPI_INT, other, 7, 1, behind, window);       /* expect: invalid argument */
    MPI_Win_fence(0, window);
    MPI_Get(results, 2, MPI_INT, other, 12, 1, apart, window);      /* expect: invalid argument */
    MPI_Get(results + 2, 2, MPI_INT, other, 40, 1, apart, window);      /* expect: invalid argument */
    MPI_Win_fence(0, window);
    MPI_Accumulate(values, 2, MPI_INT, other, 36, 2, behind, MPI_SUM, window);      /* expect: invalid argument */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Type_free(&behind);
    MPI_Type_free(&apart);
    MPI_Finalize();
    return 0;
}
