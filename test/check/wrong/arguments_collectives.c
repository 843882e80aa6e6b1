/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Collective operations with arguments that MPI forbids, the same in all processes. ranks: 2 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int in[4] = {0}, out[4] = {0}, counts[2] = {1, -1}, offsets[2] = {0, 1}, ones[2] = {1, 1};
    double real = 0, sum;
    MPI_Datatype pair, types[2] = {MPI_INT, (MPI_Datatype) MPI_SUM};
    MPI_Comm comm;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);

    MPI_Barrier(MPI_COMM_NULL);                                                     /* expect: invalid argument */
    MPI_Bcast(in, 1, MPI_INT, 2, comm);                                             /* expect: invalid argument */
    MPI_Bcast(in, 1, MPI_INT, MPI_ROOT, comm);                                      /* expect: invalid argument */
    MPI_Bcast(in, -2, MPI_INT, 0, comm);                                            /* expect: invalid argument */
    MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_SELF);                          /* expect: invalid argument */
    MPI_Ibcast(in, 1, MPI_DATATYPE_NULL, 0, comm, &request);                        /* expect: invalid argument */
    MPI_Gather(in, -1, MPI_INT, out, 1, MPI_INT, 0, comm);                          /* expect: invalid argument */
    MPI_Allgather(in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm);                  /* expect: invalid argument */
    MPI_Allgatherv(in, 1, MPI_INT, out, counts, offsets, MPI_INT, comm);            /* expect: invalid argument */
    MPI_Scatter(in, 1, MPI_INT, NULL, 1, MPI_INT, 0, comm);                         /* expect: invalid argument */
    MPI_Alltoallv(in, counts, offsets, MPI_INT, out, counts, offsets, MPI_INT, comm);       /* expect: invalid argument */
    MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_DATATYPE_NULL, comm);                  /* expect: invalid argument */
    MPI_Reduce(in, out, 1, MPI_INT, MPI_OP_NULL, 0, comm);                          /* expect: invalid argument */
    MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, -4, comm);                             /* expect: invalid argument */
    MPI_Allreduce(&real, &sum, 1, MPI_DOUBLE, MPI_BAND, comm);                      /* expect: invalid argument */
    MPI_Allreduce(in, out, 1, pair, MPI_SUM, comm);                                 /* expect: invalid argument */
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAXLOC, comm);                           /* expect: invalid argument */
    MPI_Iallreduce(in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm, &request);          /* expect: invalid argument */
    MPI_Scan(in, out, 1, MPI_INT, MPI_OP_NULL, comm);                               /* expect: invalid argument */
    MPI_Reduce_local(in, out, 1, MPI_INT, MPI_MINLOC);                              /* expect: invalid argument */
    MPI_Reduce_local(in, out, 1, MPI_WCHAR, MPI_SUM);                               /* expect: invalid argument */
    MPI_Allreduce(in, out, 1, MPI_PACKED, MPI_BOR, comm);                           /* expect: invalid argument */
    MPI_Allreduce(MPI_IN_PLACE, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);          /* expect: invalid argument */
    MPI_Bcast(in, 1, (MPI_Datatype) MPI_COMM_WORLD, 0, comm);                       /* expect: invalid argument */
    MPI_Alltoallw(in, ones, offsets, types, out, ones, offsets, types, comm);       /* expect: invalid argument */

    MPI_Type_free(&pair);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
