/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Operations that are complete at once, completed in another order, with memory that is used again. ranks: 1 */
#include <mpi.h>
#include <stdlib.h>

enum { number = 16 };

int main(int argc, char **argv)
{
    MPI_Request requests[number];
    int *in[number], *out[number];

    MPI_Init(&argc, &argv);
    for (int i = 0; i < number; i++) {
        in[i] = calloc(4, sizeof(int));
        out[i] = calloc(4, sizeof(int));
        MPI_Iallreduce(in[i], out[i], 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    }
    for (int round = 0; round < 200; round++) {
        int i = (round * 7 + 3) % number;
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        /* the same memory again */
        MPI_Iallreduce(in[i], out[i], 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(number, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < number; i++) {
        free(in[i]);
        free(out[i]);
    }
    MPI_Finalize();
    return 0;
}
