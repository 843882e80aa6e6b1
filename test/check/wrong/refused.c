/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Null pointers where a process has data, next to places where it has none. ranks: 1 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    const MPI_Comm self = MPI_COMM_SELF;
    int value = 1, other, dims[1] = {1}, periods[1] = {1}, ranks[1] = {0}, counts[1] = {1};
    MPI_Aint places[1] = {0};
    MPI_Comm ring, sender;
    MPI_Datatype type, types[1] = {MPI_DATATYPE_NULL};
    MPI_Message message;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
    MPI_Cart_create(self, 1, dims, periods, 0, &ring);
    MPI_Dist_graph_create_adjacent(self, 1, ranks, MPI_UNWEIGHTED, 1, ranks, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &sender);
    MPI_Exscan(NULL, &value, 1, MPI_INT, MPI_SUM, self);                            /* expect: invalid argument */
    MPI_Exscan(MPI_IN_PLACE, NULL, 1, MPI_INT, MPI_SUM, self);                      /* expect: invalid argument */
    MPI_Scan(&value, NULL, 1, MPI_INT, MPI_SUM, self);                              /* expect: invalid argument */
    MPI_Neighbor_allgather(&value, 1, MPI_INT, NULL, 1, MPI_INT, ring);             /* expect: invalid argument */
    MPI_Neighbor_alltoall(NULL, 1, MPI_INT, &value, 1, MPI_INT, sender);            /* expect: invalid argument */
    MPI_Isend(&value, 1, MPI_INT, 0, 0, self, &request);
    MPI_Mprobe(0, 0, self, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(NULL, 1, MPI_INT, &message, MPI_STATUS_IGNORE);                       /* expect: invalid argument */
    MPI_Mrecv(&other, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_create_struct(1, counts, places, types, &type);                        /* expect: invalid argument */
    MPI_Comm_free(&ring);
    MPI_Comm_free(&sender);
    MPI_Finalize();
    return 0;
}
