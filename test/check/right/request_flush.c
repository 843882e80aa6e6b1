/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Flush and unlock complete operations that have a request; MPI_NO_OP ignores the origin. tool: checksums ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, other, *memory, value = 0, copy, ignored = 0, old;
    MPI_Win window;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Rget(&value, 1, MPI_INT, other, 0, 1, MPI_INT, window, &request);
    MPI_Win_flush(other, window);
    MPI_Sendrecv(&value, 1, MPI_INT, other, 0, &copy, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rput(&value, 1, MPI_INT, other, 1, 1, MPI_INT, window, &request);
    MPI_Win_flush_local(other, window);
    value++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Raccumulate(&value, 1, MPI_INT, other, 2, 1, MPI_INT, MPI_SUM, window, &request);
    MPI_Win_unlock_all(window);
    value++;
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Irecv(&ignored, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Fetch_and_op(&ignored, &old, MPI_INT, other, 3, MPI_NO_OP, window);
    MPI_Get(&copy, 1, MPI_INT, other, 3, 1, MPI_INT, window);   /* both read */
    MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ignored++;
    MPI_Win_flush(other, window);
    MPI_Win_unlock(other, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
