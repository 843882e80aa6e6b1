/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#ifndef GROUPS_H_INCLUDED
#define GROUPS_H_INCLUDED

#include <mpi.h>

/* An intercommunicator of the group 0 or 1 of the calling process and of the other one, whose first process
 * has the rank other in MPI_COMM_WORLD. */
static inline MPI_Comm two_groups(int group, int other)
{
    MPI_Comm own, both;

    MPI_Comm_split(MPI_COMM_WORLD, group, 0, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, other, 5, &both);
    MPI_Comm_free(&own);
    return both;
}

#endif /* GROUPS_H_INCLUDED */
