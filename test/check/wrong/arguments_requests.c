/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Requests that are started, cancelled, marked as ready or queried although MPI forbids it. ranks: 2 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, values[4] = {0}, copy[4], has_arrived;
    MPI_Request inactive, message, part, none;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Recv_init(copy, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &inactive);
    MPI_Cancel(&inactive);                                                          /* expect: invalid argument */
    MPI_Start(&inactive);
    MPI_Start(&inactive);                                                           /* expect: invalid argument */
    MPI_Send(values, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&inactive, MPI_STATUS_IGNORE);
    MPI_Request_free(&inactive);
    MPI_Send_init(values, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &inactive);
    MPI_Cancel(&inactive);                                                          /* expect: invalid argument */
    MPI_Request_free(&inactive);

    MPI_Irecv(copy, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &message);
    MPI_Start(&message);                                                            /* expect: invalid argument */
    MPI_Pready(0, message);                                                         /* expect: invalid argument */
    MPI_Parrived(message, 0, &has_arrived);                                         /* expect: invalid argument */
    MPI_Send(values, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&message, MPI_STATUS_IGNORE);

    MPI_Psend_init(values, 0, 2, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &none);/* expect: invalid argument */
    if (rank == 0)
        MPI_Psend_init(values, 2, 2, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &part);
    else
        MPI_Precv_init(values, 2, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &part);
    MPI_Start(&part);
    MPI_Cancel(&part);                                                              /* expect: invalid argument */
    if (rank == 0)
        MPI_Pready_range(0, 1, part);
    MPI_Wait(&part, MPI_STATUS_IGNORE);
    MPI_Cancel(&part);                                                              /* expect: invalid argument */
    MPI_Request_free(&part);
    MPI_Finalize();
    return 0;
}
