/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Handles that were freed in places where MPI ignores them. ranks: 3 */
#include <mpi.h>
#include <stddef.h>

static int rank, value = 1, all[8], counts[3] = {1, 1, 1}, places[3] = {0, 1, 2};
static MPI_Datatype gone, mine;

static void finish(MPI_Request request, int is_persistent)
{
    if (is_persistent)
        MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is_persistent)
        MPI_Request_free(&request);
}

/* mine: a type at the root, the freed one elsewhere; gone: the freed one */
static void at_the_root(int root)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    const MPI_Count large[3] = {1, 1, 1};
    const MPI_Aint large_places[3] = {0, 1, 2};
    MPI_Request request;

    MPI_Gather(&value, 1, MPI_INT, all, 1, mine, root, comm);
    MPI_Gatherv(&value, 1, MPI_INT, all, counts, places, mine, root, comm);
    MPI_Gatherv_c(&value, 1, MPI_INT, all, large, large_places, mine, root, comm);
    MPI_Scatter(all, 1, mine, &value, 1, MPI_INT, root, comm);
    MPI_Scatterv(all, counts, places, mine, &value, 1, MPI_INT, root, comm);
    MPI_Igather(&value, 1, MPI_INT, all, 1, mine, root, comm, &request);
    finish(request, 0);
    MPI_Igatherv(&value, 1, MPI_INT, all, counts, places, mine, root, comm, &request);
    finish(request, 0);
    MPI_Iscatter(all, 1, mine, &value, 1, MPI_INT, root, comm, &request);
    finish(request, 0);
    MPI_Iscatterv(all, counts, places, mine, &value, 1, MPI_INT, root, comm, &request);
    finish(request, 0);
    MPI_Gather_init(&value, 1, MPI_INT, all, 1, mine, root, comm, MPI_INFO_NULL, &request);
    finish(request, 1);
    MPI_Scatterv_init(all, counts, places, mine, &value, 1, MPI_INT, root, comm, MPI_INFO_NULL, &request);
    finish(request, 1);
}

static void in_place(void)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int is_root = rank == 1;
    MPI_Request request;

    MPI_Gather(is_root ? MPI_IN_PLACE : &value, 1, is_root ? gone : MPI_INT, all, 1, MPI_INT, 1, comm);
    MPI_Scatter(all, 1, MPI_INT, is_root ? MPI_IN_PLACE : &value, 1, is_root ? gone : MPI_INT, 1, comm);
    MPI_Allgather(MPI_IN_PLACE, 1, gone, all, 1, MPI_INT, comm);
    MPI_Allgatherv(MPI_IN_PLACE, 1, gone, all, counts, places, MPI_INT, comm);
    MPI_Alltoall(MPI_IN_PLACE, 1, gone, all, 1, MPI_INT, comm);
    MPI_Alltoallv(MPI_IN_PLACE, counts, places, gone, all, counts, places, MPI_INT, comm);
    MPI_Iallgather(MPI_IN_PLACE, 1, gone, all, 1, MPI_INT, comm, &request);
    finish(request, 0);
    MPI_Ialltoall(MPI_IN_PLACE, 1, gone, all, 1, MPI_INT, comm, &request);
    finish(request, 0);
    MPI_Allgather_init(MPI_IN_PLACE, 1, gone, all, 1, MPI_INT, comm, MPI_INFO_NULL, &request);
    finish(request, 1);
}

static void add(void *in, void *result, int *number, MPI_Datatype *unused)
{
    for (int i = 0; i < *number; i++)
        ((int *) result)[i] += ((int *) in)[i];
}

/* Groups {0, 1} and {2}; ranks 0 and 2 are the leaders. Rank 2 is the root, then rank 0. */
static void between_groups(void)
{
    const int is_first = rank < 2;
    int root = is_first ? 0 : MPI_ROOT;
    MPI_Datatype type;
    MPI_Comm half, copy, freed, both;
    MPI_Op sum, own;

    MPI_Comm_split(MPI_COMM_WORLD, is_first, rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    freed = copy;
    MPI_Comm_free(&copy);
    MPI_Intercomm_create(half, 0, rank == 1 ? freed : MPI_COMM_WORLD, is_first ? 2 : 0, 0, &both);
    MPI_Gather(&value, 1, is_first ? MPI_INT : gone, all, 1, is_first ? gone : MPI_INT, root, both);
    MPI_Scatter(all, 1, is_first ? gone : MPI_INT, &value, 1, is_first ? MPI_INT : gone, root, both);

    root = !is_first ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    type = rank == 1 ? gone : MPI_INT;
    MPI_Bcast(&value, 1, type, root, both);
    MPI_Gather(&value, 1, type, all, 1, type, root, both);
    MPI_Op_create(add, 1, &own);
    sum = own;
    if (rank == 1)
        MPI_Op_free(&own);
    MPI_Reduce(&value, all, 1, type, sum, root, both);
    MPI_Reduce(&value, all, 1, type, rank == 1 ? MPI_OP_NULL : sum, root, both);
    if (rank != 1)
        MPI_Op_free(&own);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

/* MPI_NO_OP ignores the origin. */
static void one_sided(void)
{
    int *memory;
    MPI_Win window;

    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Get_accumulate(NULL, 1, gone, &value, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_NO_OP, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    MPI_Datatype type;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int root = 0; root < 3; root++) {
        MPI_Type_contiguous(1, MPI_INT, &type);
        MPI_Type_commit(&type);
        mine = type;
        if (rank != root)
            MPI_Type_free(&type);
        at_the_root(root);
        if (rank == root)
            MPI_Type_free(&type);
    }
    gone = mine;
    in_place();
    between_groups();
    one_sided();
    MPI_Finalize();
    return 0;
}
