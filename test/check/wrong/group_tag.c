/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* The members of a group make its communicator with different tags; rank 2 is not in it. ranks: 3 tool: timeout=2,deadlock=abort */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Group all, group;
    MPI_Comm comm;
    int rank;
    const int members[] = { 0, 1 };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, members, &group);
    if (rank < 2)
        MPI_Comm_create_group(MPI_COMM_WORLD, group, rank, &comm);      /* expect: deadlock */
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
