/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Nothing is freed. ranks: 2 */
#include <mpi.h>

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void) type;
    for (int i = 0; i < *length; i++)
        ((int *) inout)[i] += ((int *) in)[i];
}

static void handle(MPI_Comm *comm, int *error, ...)
{
    (void) comm;
    (void) error;
}

int main(int argc, char **argv)
{
    int rank, first = 0;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Group world, group;
    MPI_Op op;
    MPI_Info info;
    MPI_Errhandler errhandler;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);                        /* expect: leak */
    MPI_Type_contiguous(3, MPI_INT, &type);                     /* expect: leak */
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &first, &group);                   /* expect: leak */
    MPI_Group_free(&world);
    MPI_Op_create(add, 1, &op);                                 /* expect: leak */
    MPI_Info_create(&info);                                     /* expect: leak */
    MPI_Comm_create_errhandler(handle, &errhandler);            /* expect: leak */
    MPI_Recv_init(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);   /* expect: leak */
    MPI_Finalize();
    return 0;
}
