/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* All collective operations on an intercommunicator with groups of one and three processes. ranks: 4 */
#include "../groups.h"

#define PEERS 3 /* at most */

static MPI_Comm both;
static MPI_Datatype pair;
static int own, root, is_root_group, gave[2 * PEERS], got[2 * PEERS];

/* Takes the pairs of integers as such or as twice as many integers. */
static void with_root(MPI_Datatype type, int count)
{
    int counts[PEERS] = {count, count, count}, places[PEERS] = {0, count, 2 * count};

    MPI_Bcast(gave, count, type, root, both);
    MPI_Gather(gave, count, type, got, count, type, root, both);
    MPI_Gatherv(gave, count, type, got, counts, places, type, root, both);
    MPI_Scatter(gave, count, type, got, count, type, root, both);
    MPI_Scatterv(gave, counts, places, type, got, count, type, root, both);
    MPI_Reduce(gave, got, 2, MPI_INT, MPI_SUM, root, both);
}

static void without_root(MPI_Datatype type, int count)
{
    int extent = 8 / count, counts[PEERS] = {count, count, count}, places[PEERS] = {0, count, 2 * count};
    int bytes[PEERS] = {0, count * extent, 2 * count * extent}, parts[PEERS] = {6 / own, 6 / own, 6 / own};
    MPI_Datatype types[PEERS] = {type, type, type};
    MPI_Request requests[2];

    MPI_Barrier(both);
    MPI_Allgather(gave, count, type, got, count, type, both);
    MPI_Allgatherv(gave, count, type, got, counts, places, type, both);
    MPI_Alltoall(gave, count, type, got, count, type, both);
    MPI_Alltoallv(gave, counts, places, type, got, counts, places, type, both);
    MPI_Alltoallw(gave, counts, bytes, types, got, counts, bytes, types, both);
    MPI_Allreduce(gave, got, 2, MPI_INT, MPI_SUM, both);
    /* The groups divide the same six numbers. */
    MPI_Reduce_scatter(gave, got, parts, MPI_INT, MPI_SUM, both);
    MPI_Reduce_scatter_block(gave, got, 6 / own, MPI_INT, MPI_SUM, both);
    MPI_Iallgather(gave, count, type, got, count, type, both, &requests[0]);
    MPI_Ibarrier(both, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, own_rank, is_first;
    MPI_Comm copy, merged;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    is_first = rank == 2;
    both = two_groups(is_first, is_first ? 0 : 2);
    MPI_Comm_size(both, &own);
    MPI_Comm_rank(both, &own_rank);

    for (int group = 0; group < 2; group++) {
        for (int i = 0; i < (group == 0 ? 1 : 3); i++) {
            is_root_group = is_first == (group == 0);
            root = !is_root_group ? i : own_rank == i ? MPI_ROOT : MPI_PROC_NULL;
            with_root(is_first ? pair : MPI_INT, is_first ? 1 : 2);
        }
    }
    without_root(is_first ? pair : MPI_INT, is_first ? 1 : 2);

    MPI_Comm_dup(both, &copy);
    MPI_Intercomm_merge(copy, is_first, &merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&both);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
