/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Arguments that MPI ignores, though MPICH refuses them. ranks: 1 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    const MPI_Comm self = MPI_COMM_SELF;
    int value = 1, counts[2] = {1, 0}, dims[1] = {1}, periods[1] = {0};
    MPI_Aint places[2] = {0, 0};
    MPI_Comm alone, edge;
    MPI_Datatype type, types[2];
    MPI_Message message;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    MPI_Dist_graph_create_adjacent(self, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &alone);
    MPI_Cart_create(self, 1, dims, periods, 0, &edge);

    /* the result of the first process */
    MPI_Exscan(&value, NULL, 1, MPI_INT, MPI_SUM, self);
    MPI_Iexscan(&value, NULL, 1, MPI_INT, MPI_SUM, self, &request);
    MPI_Exscan_init(&value, NULL, 1, MPI_INT, MPI_SUM, self, MPI_INFO_NULL, &request);
    MPI_Exscan_c(&value, NULL, 1, MPI_INT, MPI_SUM, self);

    /* data of nobody, or beyond the edge of a grid */
    MPI_Neighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone);
    MPI_Neighbor_allgather(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone);
    MPI_Neighbor_allgatherv(NULL, 1, MPI_INT, NULL, counts, counts, MPI_INT, alone);
    MPI_Ineighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone, &request);
    MPI_Neighbor_allgather_init(NULL, 1, MPI_INT, NULL, 1, MPI_INT, alone, MPI_INFO_NULL, &request);
    MPI_Neighbor_alltoall(NULL, 1, MPI_INT, NULL, 1, MPI_INT, edge);
    counts[1] = 1;
    MPI_Neighbor_alltoallv(NULL, counts, counts, MPI_INT, NULL, counts, counts, MPI_INT, edge);
    counts[1] = 0;

    /* a receive from no process */
    MPI_Mprobe(MPI_PROC_NULL, 0, self, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(NULL, 1, MPI_INT, &message, MPI_STATUS_IGNORE);

    /* the type of an empty block */
    MPI_Type_contiguous(2, MPI_INT, &type);
    types[0] = MPI_INT;
    types[1] = type;
    MPI_Type_free(&type);
    MPI_Type_create_struct(2, counts, places, types, &type);
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&edge);
    MPI_Finalize();
    return 0;
}
