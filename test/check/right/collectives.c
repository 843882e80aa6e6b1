/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

#include "../cases.h"
#include <stddef.h>

/* Arguments that may differ between processes, and logical values that are the same. ranks: 4 */

static void first(void *in, void *out, int *n, MPI_Datatype *type)
{
    (void) type;
    for (int i = 0; i < *n; i++)
        ((int *) out)[i] += ((int *) in)[i];
}
static void second(void *in, void *out, int *n, MPI_Datatype *type)
{
    first(in, out, n, type);
}

static void agreement(int rank, int size)
{
    int value = 1, result, *memory;
    MPI_Comm made, half, inter, all;
    MPI_Group world, group;
    MPI_Op op;
    MPI_Info info;
    MPI_Win window;
    MPI_File file;

    const int dims[2] = {2, 2}, periods[2] = {1 + rank, 0}, peer = rank ^ 1, self = rank, pair[2] = {rank & ~1, rank | 1};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, rank == 1 ? 2 : 1, &made);    /* logical */
    MPI_Comm_free(&made);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank % 2, &peer, MPI_UNWEIGHTED, 1 - rank % 2, &peer, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &made);
    MPI_Comm_free(&made);
    MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
    if (rank > 0)
        MPI_Comm_free(&made);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, pair, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &half);                                  /* two groups */
    MPI_Group_free(&group);
    MPI_Group_incl(world, 1, &self, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made);                                  /* one for each process */
    MPI_Comm_free(&made);
    MPI_Comm_create(MPI_COMM_WORLD, rank == 0 ? group : MPI_GROUP_EMPTY, &made);
    if (rank == 0)
        MPI_Comm_free(&made);
    MPI_Group_free(&group);
    MPI_Group_incl(world, 2, (int[]){3, 1}, &group);
    MPI_Comm_create(MPI_COMM_WORLD, rank == 2 ? MPI_GROUP_EMPTY : group, &made);    /* others may pass it, or not */
    if (rank == 1 || rank == 3)
        MPI_Comm_free(&made);
    MPI_Group_free(&group);
    MPI_Intercomm_create(half, rank < 2 ? 0 : 1, MPI_COMM_WORLD, rank < 2 ? 3 : 0, 0, &inter);
    MPI_Intercomm_merge(inter, rank < 2 ? 1 + rank : 0, &all);
    MPI_Comm_free(&all);
    MPI_Comm_group(inter, &group);
    MPI_Comm_create(inter, group, &made);
    MPI_Comm_free(&made);
    MPI_Group_free(&group);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Op_create(rank % 2 ? first : second, 1, &op);   /* the same operation */
    MPI_Allreduce(&value, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Info_create(&info);
    MPI_Info_set(info, "access_style", rank % 2 ? "read_once" : "write_once");
    MPI_File_open(MPI_COMM_WORLD, rank % 2 ? "agreement.dat" : "./agreement.dat",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file);
    MPI_File_set_view(file, 4 * rank, rank % 2 ? MPI_INT : MPI_FLOAT, rank % 2 ? MPI_INT : MPI_FLOAT, "native", info);
    MPI_File_close(&file);
    MPI_Info_free(&info);
    MPI_Win_allocate(4 + rank, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE | (rank % 2 ? MPI_MODE_NOPUT : 0), window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | (rank % 2 ? MPI_MODE_NOSTORE : 0), window);
    MPI_Win_free(&window);
    MPI_Group_free(&world);
}

/* Distributed arrays: MPI ignores the argument of a dimension that is not distributed. ranks: 2 */
static void darray(int rank, int size)
{
    int sizes[2] = {8, 8}, processes[2] = {2, 1}, arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 0};
    int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
    MPI_Count large_sizes[2] = {8, 8};
    MPI_Datatype type;

    MPI_Type_create_darray(2, rank, 2, sizes, distributions, arguments, processes, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_free(&type);
    arguments[1] = -7;
    distributions[0] = MPI_DISTRIBUTE_CYCLIC;
    MPI_Type_create_darray_c(2, rank, 2, large_sizes, distributions, arguments, processes, MPI_ORDER_FORTRAN, MPI_INT, &type);
    MPI_Type_free(&type);
}

/* Collective operations on files in the same order, with others between them and on several files at once. ranks: 3 */
static void file_collectives(int rank, int size)
{
    int value = 1, got;
    char name[32] = "own0.dat";
    MPI_Comm comm;
    MPI_File file, other, own;
    MPI_Request request;
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 2; i++) {
        MPI_File_open(comm, "none.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);     /* fails everywhere */
        MPI_File_open(comm, "one.dat", mode, MPI_INFO_NULL, &file);
        MPI_File_open(comm, "two.dat", mode, MPI_INFO_NULL, &other);
        name[3] = (char) ('0' + rank);
        MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &own);
        if (rank == 0)
            MPI_File_write_all(own, &value, 1, MPI_INT, MPI_STATUS_IGNORE);         /* of one process */
        MPI_File_close(&own);
        if (rank == 0) {    /* on different files in any order, as they wait for nobody without data */
            MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
            MPI_File_write_at(other, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        }
        MPI_File_set_view(file, 4 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
        MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_File_seek(file, 0, MPI_SEEK_SET);
        MPI_File_read_at_all(file, 0, &got, rank, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_write_ordered(other, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_iwrite_all(other, &value, 1, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_File_write_all_begin(other, &value, 1, MPI_INT);
        MPI_File_write_all_end(other, &value, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
        MPI_File_close(&file);
        MPI_File_seek_shared(other, 0, MPI_SEEK_SET);
        MPI_File_close(&other);
    }
    MPI_Comm_free(&comm);
}

/* A file in atomic mode orders the accesses to a window. ranks: 3 */
static void file_order(int rank, int size)
{
    int one = 1, value = 0, *memory;
    MPI_Win window;
    MPI_File file;

    MPI_File_open(MPI_COMM_WORLD, "flag.dat", MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 0);
    MPI_File_set_atomicity(file, 1);
    if (rank == 0)
        MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    while (rank == 1 && !value)
        MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (rank < 2) {
        MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_flush(2, window);
    }
    if (rank == 0)
        MPI_File_write_at(file, 0, &one, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_File_close(&file);
}

/* Keyvals that are freed while they are in use, and by a callback; generalized requests that are completed, cancelled and freed.
 * ranks: 2 */

static int late;

static int query(void *state, MPI_Status *status)
{
    (void) state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int release(void *state)
{
    (void) state;
    return MPI_SUCCESS;
}
static int cancel(void *state, int is_complete)
{
    (void) state, (void) is_complete;
    return MPI_SUCCESS;
}
static int free_late(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void) comm, (void) keyval, (void) value, (void) state;
    return MPI_Comm_free_keyval(&late);
}

static void keyvals(int rank, int size)
{
    int keyval, copy, flag, value = 1, *found;
    MPI_Comm comm;
    MPI_Request request, other;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(comm, keyval, &value);
    copy = keyval;
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_get_attr(comm, copy, &found, &flag);       /* the attribute still has it */
    MPI_Comm_free(&comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &late, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_late, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Comm_free_keyval(&keyval);
    for (int i = 0; i < 3; i++) {
        MPI_Grequest_start(query, release, cancel, NULL, &request);
        other = request;
        if (i == 1)
            MPI_Cancel(&request);
        if (i == 2)
            MPI_Request_free(&request);
        MPI_Grequest_complete(other);
        if (i < 2)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* A grid and a graph that have fewer processes than the communicator that they are made of, then
 * communicators of all, and of those in the grid. ranks: 3 */
static void topologies_smaller(int rank, int size)
{
    const int neighbors[] = { 1, 2 }, edges[] = { 1, 0 }, sizes[] = { 2 }, is_periodic[] = { 0 };
    const MPI_Datatype types[] = { MPI_INT, MPI_INT };
    const int counts[] = { 1, 1 }, places[] = { 0, sizeof(int) };
    MPI_Comm grid, graph, copy, part;
    int value = 0, values[2] = { 0 }, received[2];

    for (int i = 0; i < 3; i++) {
        MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, is_periodic, 0, &grid);
        MPI_Graph_create(MPI_COMM_WORLD, 2, neighbors, edges, 0, &graph);
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Bcast(&value, 1, MPI_INT, 0, copy);
        if (grid != MPI_COMM_NULL) {
            MPI_Comm_dup(grid, &part);
            MPI_Barrier(part);
            MPI_Bcast(&value, 1, MPI_INT, 1, graph);
            MPI_Alltoallw(values, counts, places, types, received, counts, places, types, grid);
            MPI_Comm_free(&part);
            MPI_Comm_free(&grid);
            MPI_Comm_free(&graph);
        }
        MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &part);
        MPI_Bcast(&value, 1, MPI_INT, 0, part);
        MPI_Comm_free(&part);
        MPI_Comm_free(&copy);
    }
}

CASES(CASE(agreement), CASE(darray), CASE(file_collectives), CASE(file_order), CASE(keyvals),
      CASE(topologies_smaller))
