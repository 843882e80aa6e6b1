/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Requests that are complete, or never were. The library may end the program. ranks: 1 cases: 8 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int value = 1, other, flag, index, number;
    MPI_Request request, copy, active;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (atoi(argv[1]) == 8)
        MPI_Send_init(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &active);
    MPI_Irecv(&other, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    copy = request;
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    switch (atoi(argv[1])) {
    case 1:
        MPI_Cancel(&copy);                                                          /* expect: invalid argument */
        break;
    case 2:
        MPI_Wait(&copy, MPI_STATUS_IGNORE);                                         /* expect: invalid argument */
        break;
    case 3:
        MPI_Test(&copy, &flag, MPI_STATUS_IGNORE);                                  /* expect: invalid argument */
        break;
    case 4:
        MPI_Waitall(1, &copy, MPI_STATUSES_IGNORE);                                 /* expect: invalid argument */
        break;
    case 5:
        MPI_Waitany(1, &copy, &index, MPI_STATUS_IGNORE);                           /* expect: invalid argument */
        break;
    case 6:
        MPI_Testsome(1, &copy, &number, &index, MPI_STATUSES_IGNORE);               /* expect: invalid argument */
        break;
    case 7:
        MPI_Start(&copy);                                                           /* expect: invalid argument */
        break;
    case 8:
        MPI_Request_free(&copy);                                                    /* expect: invalid argument */
        break;
    }
    _Exit(0);
}
