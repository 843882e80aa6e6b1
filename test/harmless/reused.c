/* Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory */

/* Uses a communicator that has the handle of the copy which the tool "copies" has made and freed. */

#include <mpi.h>

#include <stdio.h>

static double out[2000], in[2000];

int main(int argc, char **argv)
{
    int rank, sum = 0;
    MPI_Comm first, second;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* the handle that is free next */
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    second = first;
    MPI_Comm_free(&first);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &first);
    if (rank == 0)
        printf("%s handle\n", first == second ? "the same" : "another");
    MPI_Alltoall(out, 1000, MPI_DOUBLE, in, 1000, MPI_DOUBLE, first);
    MPI_Comm_free(&first);
    MPI_Finalize();
    if (rank == 0 && sum == 6)
        printf("ok\n");
    return 0;
}
