/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Data of accesses: shorter than the place for it, of other types with the same signature, in an origin that is free
 * again, and up to the end of windows of several sizes. ranks: 2 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int rank, other, *memory, more[4] = {0}, data[8] = {0}, result[8];
    MPI_Aint address, place;
    MPI_Win window;
    MPI_Datatype pair, apart;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_vector(2, 1, 7, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Put(data, 5, MPI_INT, other, 0, 8, MPI_INT, window);
    MPI_Win_flush(other, window);
    MPI_Get(data, 8, MPI_INT, other, 0, 5, MPI_INT, window);
    MPI_Win_flush_local(other, window);
    MPI_Get(data, 4, pair, other, 0, 8, MPI_INT, window);
    MPI_Win_flush_local_all(window);
    MPI_Get(data, 8 * sizeof(int), MPI_BYTE, other, 0, 8, MPI_INT, window);
    MPI_Win_flush_all(window);
    MPI_Put(data, 2, MPI_INT, other, 0, 1, apart, window);
    MPI_Put(data, 0, MPI_FLOAT, other, 8, 0, MPI_INT, window);
    MPI_Put(data, 1, MPI_INT, other, 1, 1, MPI_INT, window);
    MPI_Win_flush_all(window);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, result, 8, MPI_INT, other, 0, 8, MPI_INT, MPI_NO_OP, window);
    MPI_Fetch_and_op(&rank, data, MPI_INT, other, 7, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);

    /* one process has no memory */
    MPI_Win_create(more, rank == 0 ? 0 : sizeof more, rank == 0 ? 1 : sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    if (rank == 0)
        MPI_Put(data, 4, MPI_INT, 1, 0, 4, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, more, sizeof more);
    MPI_Get_address(more, &address);
    MPI_Sendrecv(&address, 1, MPI_AINT, other, 0, &place, 1, MPI_AINT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Put(data, 4, MPI_INT, other, place, 4, MPI_INT, window);
    MPI_Win_unlock(other, window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(window, more);
    MPI_Win_free(&window);
    MPI_Type_free(&apart);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
