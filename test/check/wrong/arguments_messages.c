/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Messages with arguments that MPI forbids. ranks: 2 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int value = 0, flag, size;
    char buffer[MPI_BSEND_OVERHEAD + 100];
    void *address;
    int *highest;
    MPI_Datatype pair;
    MPI_Request request, requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Comm comm;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &flag);
    MPI_Type_contiguous(2, MPI_INT, &pair);

    MPI_Send(&value, -1, MPI_INT, 0, 0, comm);                                      /* expect: invalid argument */
    MPI_Send(&value, 1, MPI_INT, 2, 0, comm);                                       /* expect: invalid argument */
    MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm);                          /* expect: invalid argument */
    MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, comm);                             /* expect: invalid argument */
    MPI_Ssend(&value, 1, MPI_DATATYPE_NULL, 0, 0, comm);                            /* expect: invalid argument */
    MPI_Send(&value, 1, (MPI_Datatype) 0, 0, 0, comm);                              /* expect: invalid argument */
    MPI_Irecv(&value, 1, (MPI_Datatype) MPI_COMM_SELF, 0, 0, comm, &request);       /* expect: invalid argument */
    MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL);                             /* expect: invalid argument */
    MPI_Rsend(NULL, 1, MPI_INT, 0, 0, comm);                                        /* expect: invalid argument */
    MPI_Send(&value, 1, pair, 0, 0, comm);                                          /* expect: invalid argument */
    if (*highest < 2147483647)
        MPI_Isend(&value, 1, MPI_INT, 0, *highest + 1, comm, &request);             /* expect: invalid argument */
    MPI_Irecv(&value, 1, MPI_INT, -7, 0, comm, &request);                           /* expect: invalid argument */
    MPI_Recv(&value, 1, MPI_INT, 0, -8, comm, MPI_STATUS_IGNORE);                   /* expect: invalid argument */
    MPI_Recv(&value, 1, MPI_INT, 0, 0, comm, NULL);                                 /* expect: invalid argument */
    MPI_Recv_init(&value, -3, MPI_INT, 0, 0, comm, &request);                       /* expect: invalid argument */
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &value, 1, MPI_INT, 5, 0, comm, &status);        /* expect: invalid argument */
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, -5, 0, 0, comm, &status);           /* expect: invalid argument */
    MPI_Probe(3, 0, comm, &status);                                                 /* expect: invalid argument */
    MPI_Iprobe(0, 0, comm, NULL, &status);                                          /* expect: invalid argument */
    MPI_Start(&requests[0]);                                                        /* expect: invalid argument */
    MPI_Startall(2, requests);                                                      /* expect: invalid argument */
    MPI_Waitall(-1, requests, MPI_STATUSES_IGNORE);                                 /* expect: invalid argument */
    MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE);                                      /* expect: invalid argument */
    MPI_Cancel(&requests[0]);                                                       /* expect: invalid argument */
    MPI_Request_free(&requests[0]);                                                 /* expect: invalid argument */
    MPI_Get_count(&status, MPI_DATATYPE_NULL, &value);                              /* expect: invalid argument */
    MPI_Comm_rank(comm, NULL);                                                      /* expect: invalid argument */
    MPI_Comm_size((MPI_Comm) MPI_INT, &value);                                      /* expect: invalid argument */

    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Buffer_attach(buffer, sizeof buffer);                                       /* expect: invalid argument */
    MPI_Buffer_detach(&address, &size);

    MPI_Type_free(&pair);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
