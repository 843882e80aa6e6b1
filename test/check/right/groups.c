/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Groups that overlap make communicators. The order of their members, first by one group and then by the
 * other, is that of the messages: the receive with a wildcard can get one of them only. ranks: 3
 * tool: races */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Group all, groups[2];
    MPI_Comm comms[2] = { MPI_COMM_NULL, MPI_COMM_NULL };
    int rank, value = 0;
    const int members[2][2] = { {0, 1}, {1, 2} };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < 2; i++)
        MPI_Group_incl(all, 2, members[i], &groups[i]);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) {
        if (rank == members[i][0] || rank == members[i][1])
            MPI_Comm_create_group(MPI_COMM_WORLD, groups[i], i, &comms[i]);
    }
    if (rank == 2)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) {
        if (comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[i]);
        MPI_Group_free(&groups[i]);
    }
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
