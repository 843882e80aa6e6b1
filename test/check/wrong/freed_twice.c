/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* A group is freed twice. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Group world, group, copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &rank, &group);
    copy = group;
    MPI_Group_free(&group);
    MPI_Group_free(&copy);                          /* expect: freed handle */
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
