/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A program for the tools: messages around a ring, then a sum. */

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, level, sum = 0;
    double in[1000], out[1000] = { 0 };
    MPI_Comm ring;
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &ring);
    MPI_Comm_set_name(ring, "ring");
    MPI_Comm_rank(ring, &rank);
    MPI_Comm_size(ring, &size);
    MPI_Pcontrol(1);
    for (int lap = 0; lap < 3; lap++) {
        MPI_Irecv(in, 1000, MPI_DOUBLE, (rank + size - 1) % size, lap, ring, &requests[0]);
        MPI_Isend(out, 1000, MPI_DOUBLE, (rank + 1) % size, lap, ring, &requests[1]);
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Pcontrol(2);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, ring);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", sum);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
