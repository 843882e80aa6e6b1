/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Arguments that may differ between processes, and logical values that are the same. ranks: 4 */
#include <mpi.h>

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

int main(int argc, char **argv)
{
    int rank, size, value = 1, result, *memory;
    MPI_Comm made, half, inter, all;
    MPI_Group world, group;
    MPI_Op op;
    MPI_Info info;
    MPI_Win window;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
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
    MPI_Finalize();
    return 0;
}
