/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Groups of the library's own communicators, whose handles MPICH 5 has from its start. ranks: 1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Group world, self, other;

    MPI_Init(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);     /* expect: leak */
    MPI_Comm_group(MPI_COMM_SELF, &self);       /* expect: leak */
    MPI_Group_difference(world, self, &other);  /* MPI_GROUP_EMPTY */
    MPI_Finalize();
    return 0;
}
