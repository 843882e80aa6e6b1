/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"

/* Groups of the library's own communicators, whose handles MPICH 5 has from its start. ranks: 1 */
static void leak_groups(int rank, int size)
{
    MPI_Group world, self, other;

    MPI_Comm_group(MPI_COMM_WORLD, &world);     /* expect: leak */
    MPI_Comm_group(MPI_COMM_SELF, &self);       /* expect: leak */
    MPI_Group_difference(world, self, &other);  /* MPI_GROUP_EMPTY */
}

/* A loop keeps only the last of its requests. ranks: 2 */
static void lost_requests(int rank, int size)
{
    int values[3] = {0};
    MPI_Request request;

    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request);      /* expect: pending request */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < 3; i++)
            MPI_Send(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    }
}

/* Persistent operations that are started and never completed. ranks: 2 */
static void persistent_unfinished(int rank, int size)
{
    int value = 0, sum;
    MPI_Request message, reduction;

    if (rank == 0)
        MPI_Send_init(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &message);          /* expect: pending request */
    else
        MPI_Recv_init(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &message);          /* expect: pending request */
    MPI_Start(&message);
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &reduction);        /* expect: pending request */
    MPI_Start(&reduction);
    MPI_Barrier(MPI_COMM_WORLD);
}

CASES(CASE(leak_groups), CASE(lost_requests), CASE(persistent_unfinished))
