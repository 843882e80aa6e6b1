/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Unusual arguments that MPI allows. ranks: 2 */
#include <mpi.h>
#include <stddef.h>

static void messages(MPI_Comm comm, int rank)
{
    int value = rank, other;
    char buffer[MPI_BSEND_OVERHEAD];
    void *detached;
    MPI_Aint address;
    MPI_Datatype absolute, empty;
    MPI_Request request, requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;
    char packed[4];
    MPI_Message message;
    int flag;

    /* no peer, no data, any peer */
    MPI_Isend(NULL, 0, MPI_INT, 1 - rank, 0, comm, &request);
    MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(&value, 3, MPI_INT, MPI_PROC_NULL, 0, comm);
    MPI_Recv(&value, 3, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm, &status);
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &other, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm, &status);
    MPI_Mprobe(MPI_PROC_NULL, 0, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Buffer_detach(&detached, &flag);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Buffer_detach(&detached, &flag);
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Request_get_status(MPI_REQUEST_NULL, &flag, MPI_STATUS_IGNORE);

    /* MPI_BOTTOM with absolute addresses; a type without data */
    MPI_Get_address(&value, &address);
    MPI_Type_create_hindexed_block(1, 1, &address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    MPI_Isend(MPI_BOTTOM, 1, absolute, 1 - rank, 1, comm, &request);
    MPI_Recv(&other, 1, MPI_INT, 1 - rank, 1, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isend(NULL, 5, empty, 1 - rank, 2, comm, &request);
    MPI_Recv(NULL, 5, empty, 1 - rank, 2, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    flag = 0;
    MPI_Pack(NULL, 0, MPI_INT, packed, 4, &flag, comm);
    MPI_Pack(&other, 1, MPI_INT, packed, 4, &flag, comm);
    flag = 0;
    MPI_Unpack(packed, 4, &flag, &other, 1, MPI_INT, comm);
    MPI_Type_free(&absolute);
    MPI_Type_free(&empty);
}

static void collectives(MPI_Comm comm, int rank)
{
    int value = rank, all[2] = {0}, in[2] = {0}, zeros[2] = {0, 0};
    struct {
        double value;
        int index;
    } pair = {0, 0}, result;
    MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}, copy, twice;
    MPI_Comm half, both;

    /* arguments that are significant at the root only */
    MPI_Gather(rank == 0 ? MPI_IN_PLACE : &value, rank == 0 ? -1 : 1, rank == 0 ? MPI_DATATYPE_NULL : MPI_INT,
               rank == 0 ? all : NULL, rank == 0 ? 1 : -1, rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, 0, comm);
    MPI_Gatherv(&value, 0, MPI_INT, NULL, rank == 0 ? zeros : NULL, rank == 0 ? zeros : NULL,
                rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, 0, comm);
    MPI_Scatter(rank == 0 ? all : NULL, 1, MPI_INT, rank == 0 ? MPI_IN_PLACE : &value, 1, MPI_INT, 0, comm);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &value, rank == 0 ? &value : NULL, 1, MPI_INT, MPI_SUM, 0, comm);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm);
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT, MPI_BXOR, comm);
    MPI_Alltoallv(in, zeros, zeros, MPI_INT, NULL, zeros, zeros, MPI_INT, comm);
    MPI_Bcast(NULL, 0, MPI_INT, 0, comm);
    MPI_Alltoall(MPI_IN_PLACE, 0, types[0], in, 1, MPI_INT, comm);

    /* operations for their types */
    MPI_Allreduce(&pair, &result, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
    MPI_Type_contiguous(2, MPI_INT, &twice);
    MPI_Type_commit(&twice);
    MPI_Type_dup(twice, &copy);
    MPI_Bcast(all, 1, copy, 0, comm);
    MPI_Type_free(&copy);
    MPI_Type_free(&twice);

    /* roots of an intercommunicator; the peer communicator matters to leaders */
    MPI_Comm_split(comm, rank, 0, &half);
    MPI_Intercomm_create(half, 0, comm, 1 - rank, 0, &both);
    MPI_Bcast(&value, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
    MPI_Comm_split(comm, MPI_UNDEFINED, 0, &half);
    MPI_Comm_split_type(comm, MPI_UNDEFINED, 0, MPI_INFO_NULL, &half);
}

static void objects(MPI_Comm comm, int rank)
{
    int sources[1] = {1 - rank}, dims[2] = {0, 0}, periods[1] = {0}, coords[1], below, above, size, length;
    int *memory, starts[1] = {0}, parts[1] = {4}, in = 0, out = 0;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Group group, empty, part;
    int ends[2] = {1, 3}, edges[3] = {1, 0, 1}, ranks[3] = {1, 1, MPI_PROC_NULL}, translated[3], backwards[2][3] = {{1, 1, -1}, {0, 0, 2}};
    int lengths[2] = {1, 0};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Comm graph, grid;
    MPI_Datatype type;
    MPI_Win window;
    MPI_File file;
    MPI_Errhandler handler;
    MPI_Info info;

    MPI_Dims_create(2, 2, dims);
    MPI_Dist_graph_create_adjacent(comm, 1, sources, MPI_UNWEIGHTED, 1, sources, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(&in, 1, MPI_INT, &out, 1, MPI_INT, graph);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(comm, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoallv(NULL, NULL, NULL, MPI_INT, NULL, NULL, NULL, MPI_INT, graph);
    MPI_Comm_free(&graph);
    dims[0] = 2;
    MPI_Cart_create(comm, 1, dims, periods, 0, &grid);
    MPI_Cart_shift(grid, 0, -1, &below, &above);
    MPI_Cart_coords(grid, rank, 1, coords);
    MPI_Cart_rank(grid, coords, &in);
    MPI_Comm_free(&grid);
    periods[0] = 1;
    coords[0] = -3;
    MPI_Cart_create(comm, 1, dims, periods, 0, &grid);
    MPI_Cart_rank(grid, coords, &in);
    MPI_Comm_free(&grid);
    MPI_Graph_create(comm, 2, ends, edges, 0, &graph);
    MPI_Comm_free(&graph);
    MPI_Graph_create(comm, 0, NULL, NULL, 0, &graph);

    MPI_Comm_group(comm, &group);
    MPI_Group_incl(group, 0, NULL, &empty);
    MPI_Group_translate_ranks(group, 3, ranks, empty, translated);
    MPI_Group_range_incl(group, 2, backwards, &part);
    MPI_Group_free(&part);
    MPI_Group_range_excl(group, 0, NULL, &part);
    MPI_Group_free(&part);
    MPI_Group_size(MPI_GROUP_EMPTY, &size);
    MPI_Group_free(&group);
    MPI_Group_free(&empty);

    MPI_Type_create_subarray(1, parts, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
    MPI_Type_free(&type);
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_free(&type);
    MPI_Type_create_resized(MPI_INT, -4, 12, &type);
    MPI_Type_get_name(type, name, &length);
    MPI_Type_free(&type);

    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOCHECK, window);
    MPI_Put(&in, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, window);
    MPI_Win_unlock(rank, window);
    MPI_Win_free(&window);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE, window);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &out, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_NO_OP, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_free(&window);

    MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
    MPI_Errhandler_free(&handler);
    MPI_File_open(comm, "arguments-right", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_seek(file, 4, MPI_SEEK_SET);
    MPI_File_seek(file, -4, MPI_SEEK_CUR);
    MPI_File_write(file, NULL, 0, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Info_create(&info);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    messages(comm, rank);
    collectives(comm, rank);
    objects(comm, rank);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
