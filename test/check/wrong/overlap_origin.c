/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Receives into the origins of one-sided operations that are not complete, and other such operations. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, peer, put, got, values[4] = {0};
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    put = got = rank;
    MPI_Win_create(values, sizeof values, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    MPI_Put(&put, 1, MPI_INT, peer, 0, 1, MPI_INT, window);
    MPI_Sendrecv(&rank, 1, MPI_INT, peer, 0, &put, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);         /* expect: buffer overlap */
    MPI_Win_flush(peer, window);
    MPI_Sendrecv(&rank, 1, MPI_INT, peer, 0, &put, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Get(&got, 1, MPI_INT, peer, 1, 1, MPI_INT, window);
    MPI_Sendrecv(&got, 1, MPI_INT, peer, 0, &rank, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);         /* expect: buffer overlap */
    MPI_Win_flush_local(peer, window);
    MPI_Get(&got, 1, MPI_INT, peer, 1, 1, MPI_INT, window);
    MPI_Get(&got, 1, MPI_INT, peer, 2, 1, MPI_INT, window);                         /* expect: buffer overlap */
    MPI_Win_flush_local(peer, window);
    MPI_Get(&got, 1, MPI_INT, peer, 1, 1, MPI_INT, window);
    MPI_Put(&got, 1, MPI_INT, peer, 2, 1, MPI_INT, window);                         /* expect: buffer overlap */
    MPI_Win_flush(peer, window);
    MPI_Put(&put, 1, MPI_INT, peer, 2, 1, MPI_INT, window);
    MPI_Fetch_and_op(&rank, &put, MPI_INT, peer, 3, MPI_SUM, window);               /* expect: buffer overlap */
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
