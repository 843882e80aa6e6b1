/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Handles of other objects in place of requests and messages. ranks: 1 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int flag, index, number, value = 1;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, (MPI_Request) MPI_COMM_WORLD}, request = requests[1];
    MPI_Message message = (MPI_Message) MPI_INT;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                          /* expect: invalid argument */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                                  /* expect: invalid argument */
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);                            /* expect: invalid argument */
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);                                   /* expect: invalid argument */
    MPI_Testsome(2, requests, &number, &index, MPI_STATUSES_IGNORE);                /* expect: invalid argument */
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);                      /* expect: invalid argument */
    MPI_Start(&request);                                                            /* expect: invalid argument */
    MPI_Cancel(&request);                                                           /* expect: invalid argument */
    MPI_Request_free(&request);                                                     /* expect: invalid argument */
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);                     /* expect: invalid argument */
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);                             /* expect: invalid argument */
    MPI_Finalize();
    return 0;
}
