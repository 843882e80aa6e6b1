/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accesses at the ends of a window by types with negative lower bounds, gaps, and displacements that are not the
 * first byte of the data. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, values[4] = {0}, results[4], one = 1, two[2] = {1, 1};
    char *memory;
    MPI_Aint back = -8, both[2] = {-16, 8}, falling[2] = {8, -16};
    MPI_Datatype behind, apart, backwards, pair;
    MPI_Request requests[4];
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Type_create_hindexed(1, &one, &back, MPI_INT, &behind);
    MPI_Type_create_hindexed(2, two, both, MPI_INT, &apart);
    MPI_Type_create_hindexed(2, two, falling, MPI_INT, &backwards);
    MPI_Type_vector(2, 1, -2, MPI_INT, &pair);
    MPI_Type_commit(&behind);
    MPI_Type_commit(&apart);
    MPI_Type_commit(&backwards);
    MPI_Type_commit(&pair);
    MPI_Win_allocate(32, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);

    /* bytes 28 to 31 and 0 to 3 */
    MPI_Win_fence(0, window);
    MPI_Put(values, 1, MPI_INT, other, 36, 1, behind, window);
    MPI_Put(values, 1, MPI_INT, other, 8, 1, behind, window);
    MPI_Put_c(values, 1, MPI_INT, other, 24, 1, behind, window);
    MPI_Win_fence(0, window);
    /* 12 to 15 and 20 to 23; 0 to 3 and 24 to 27; 4 to 7 and 28 to 31 */
    MPI_Get(results, 2, MPI_INT, other, 20, 1, pair, window);
    MPI_Get(results + 2, 2, MPI_INT, other, 16, 1, apart, window);
    MPI_Accumulate(values, 2, MPI_INT, other, 20, 1, backwards, MPI_SUM, window);
    MPI_Win_fence(0, window);
    /* two in a row: 24 to 27 and 28 to 31 */
    MPI_Put(values, 2, MPI_INT, other, 32, 2, behind, window);
    MPI_Win_fence(0, window);
    MPI_Get(results, 1, MPI_INT, other, 36, 1, behind, window);
    MPI_Win_fence(0, window);
    MPI_Accumulate(values, 1, MPI_INT, other, 36, 1, behind, MPI_SUM, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);

    MPI_Win_lock_all(0, window);
    MPI_Rput(values, 1, MPI_INT, other, 36, 1, behind, window, &requests[0]);
    MPI_Rget(results, 1, MPI_INT, other, 16, 1, behind, window, &requests[1]);
    MPI_Raccumulate(values, 2, MPI_INT, other, 16, 1, apart, MPI_SUM, window, &requests[2]);
    MPI_Rget_accumulate(values, 1, MPI_INT, results + 1, 1, MPI_INT, other, 28, 1, behind, MPI_NO_OP, window, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(window);

    MPI_Win_free(&window);
    MPI_Type_free(&behind);
    MPI_Type_free(&apart);
    MPI_Type_free(&backwards);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
