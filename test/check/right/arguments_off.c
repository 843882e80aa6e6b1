/*
 * Copyright (C) by the QMPI for MPICH developers
 *     See COPYRIGHT in top-level directory
 */

/* Arguments that are forbidden, to see the error. ranks: 2 tool: arguments=no */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    double data[4] = {0};
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Cancel(NULL);
    MPI_Request_free(NULL);
    MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    MPI_Psend_init(data, 2, 2, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Pready_list(2, NULL, request);
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
