/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Accesses of several processes to the same memory, in an order or in agreement. ranks: 3 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *memory, value = 0;
    MPI_Win window;
    MPI_Datatype apart;
    int both[2] = {1, 2}, one = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int i = 0; i < 8; i++)
        memory[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_vector(2, 1, 3, MPI_INT, &apart);
    MPI_Type_commit(&apart);
    for (int round = 0; round < 10; round++) {
        /* one in each epoch */
        MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
        if (rank == 1)
            MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
        if (rank == 2)
            MPI_Get(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_fence(0, window);
        /* other memory: in the gaps, of other processes */
        if (rank == 1)
            MPI_Put(both, 2, MPI_INT, 0, 1, 1, apart, window);
        if (rank == 2) {
            MPI_Put(both, 2, MPI_INT, 0, 2, 2, MPI_INT, window);
            MPI_Put(both, 1, MPI_INT, 1, 1, 1, MPI_INT, window);
        }
        MPI_Win_fence(0, window);
        /* all read, or all add */
        MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        MPI_Accumulate(&rank, 1, MPI_INT, 0, 7, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
        /* by messages, after the access is complete */
        MPI_Win_lock_all(0, window);
        if (rank > 0)
            MPI_Recv(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
        if (rank < 2)
            MPI_Ssend(&rank, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        /* by the acknowledgement of a synchronous message */
        if (rank == 2) {
            MPI_Get(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
            MPI_Win_flush_local(0, window);
            MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (rank == 1) {
            MPI_Ssend(&rank, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
            MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
        }
        MPI_Win_unlock_all(window);
        MPI_Barrier(MPI_COMM_WORLD);
        /* by collective operations */
        for (int i = 0; i < 3; i++) {
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
            if (rank == i)
                MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
            MPI_Win_unlock(0, window);
            MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        /* of one process: completed, beside each other, or sums */
        MPI_Win_lock_all(0, window);
        if (rank == 1) {
            MPI_Put(both, 2, MPI_INT, 0, 0, 2, MPI_INT, window);
            MPI_Put(both, 2, MPI_INT, 0, 2, 2, MPI_INT, window);
            MPI_Win_flush(0, window);
            MPI_Get(both, 2, MPI_INT, 0, 1, 2, MPI_INT, window);
            MPI_Win_flush_local(0, window);
            MPI_Accumulate(both, 2, MPI_INT, 0, 2, 2, MPI_INT, MPI_SUM, window);
            MPI_Accumulate(both, 2, MPI_INT, 0, 1, 2, MPI_INT, MPI_SUM, window);
            MPI_Win_flush_all(window);
            MPI_Put(both, 2, MPI_INT, 0, 2, 2, MPI_INT, window);
        }
        MPI_Win_unlock_all(window);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    /* by a token in the window itself: the tool does not follow the order after that */
    MPI_Win_lock_all(0, window);
    do
        MPI_Fetch_and_op(&one, &value, MPI_INT, 0, 6, MPI_NO_OP, window), MPI_Win_flush(0, window);
    while (value != rank);
    MPI_Put(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 6, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock_all(window);
    MPI_Type_free(&apart);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
