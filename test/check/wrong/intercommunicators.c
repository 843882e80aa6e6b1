/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include "../groups.h"

/* The root takes less than the processes of the other group give. ranks: 4 */
static void intercommunicator_count(int rank, int size)
{
    int group, root, sent[3] = {0}, received[20];
    MPI_Comm both;

    group = rank % 2;
    both = two_groups(group, 1 - group);
    root = rank == 3 ? MPI_ROOT : group == 1 ? MPI_PROC_NULL : 1;
    MPI_Gather(sent, 3, MPI_INT, received, 2, MPI_INT, root, both);     /* expect: type mismatch */
    MPI_Comm_free(&both);
}

/* Nobody is the root. ranks: 2 */
static void intercommunicator_groups(int rank, int size)
{
    int value = 0;
    MPI_Comm both;

    both = two_groups(rank, 1 - rank);
    MPI_Bcast(&value, 1, MPI_INT, MPI_PROC_NULL, both); /* expect: collective mismatch */
    MPI_Comm_free(&both);
}

/* Blocks of the two processes of the other group lie in the same memory. ranks: 3 */
static void intercommunicator_overlap(int rank, int size)
{
    int is_first, sent[4] = {0}, received[4], counts[2] = {2, 2}, displacements[2] = {0, 1};
    MPI_Comm both;

    is_first = rank == 0;
    both = two_groups(is_first, is_first ? 1 : 0);
    MPI_Gatherv(sent, 2, MPI_INT, received, counts, displacements, MPI_INT, is_first ? MPI_ROOT : 0, both);     /* expect: buffer overlap */
    MPI_Comm_free(&both);
}

/* A group has two roots. ranks: 3 */
static void intercommunicator_root(int rank, int size)
{
    int is_first, value = 0;
    MPI_Comm both;

    is_first = rank == 0;
    both = two_groups(is_first, is_first ? 1 : 0);
    MPI_Bcast(&value, 1, MPI_INT, is_first ? 0 : MPI_ROOT, both);       /* expect: collective mismatch */
    MPI_Comm_free(&both);
}

/* The groups of an intercommunicator do not agree on what the second one gets. ranks: 3 */
static void intercommunicator_type(int rank, int size)
{
    int is_first, sent[2] = {0}, received[2];
    MPI_Comm both;

    is_first = rank == 0;
    both = two_groups(is_first, is_first ? 1 : 0);
    MPI_Allgather(sent, 1, MPI_INT, received, 1, is_first ? MPI_INT : MPI_FLOAT, both); /* expect: type mismatch */
    MPI_Comm_free(&both);
}

CASES(CASE(intercommunicator_count), CASE(intercommunicator_groups),
      CASE(intercommunicator_overlap), CASE(intercommunicator_root), CASE(intercommunicator_type))
